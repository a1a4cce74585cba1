import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Each rule of accessibility that a page breaks, with the elements that break it. */
export async function violationsOf(page: Page, options = {}): Promise<string[]> {
  // Evaluated from outside the page, so that its content security policy can stay as strict as it is.
  await page.evaluate(axe.source)
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}
