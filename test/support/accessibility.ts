import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

/** Less than half as long as `axe.source`; Chromium reads it for every page. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** For many pages: Chromium gets the half megabyte once, not for each page. */
export async function bringRules(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe })
}

/** The accessibility rules that a page breaks, with the elements that break them. */
export async function violationsOf(page: Page, options = {}): Promise<string[]> {
  // Evaluated from outside the page, so that its content security policy stays strict.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  // The elements that pass are not asked for: describing and sending them takes most of the time.
  const asked = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(
    `axe.run(document, ${asked}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}
