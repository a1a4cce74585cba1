import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The accessibility rules that a page breaks, with the elements that break them. */
export async function violationsOf(page: Page, options = {}): Promise<string[]> {
  // Evaluated from outside the page, so that its content security policy stays strict.
  await page.evaluate(axe.source)
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}
