import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { Page } from 'playwright-core'

/** Less than half as long as `axe.source`; Chromium reads it for every page. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The accessibility rules that a page breaks, with the elements that break them. */
export async function violationsOf(
  page: Page,
  options = {},
  where = 'document',
): Promise<string[]> {
  // Evaluated from outside the page, so that its content security policy stays strict.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  // The elements that pass are not asked for: describing and sending them takes most of the time.
  const asked = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(
    `axe.run(${where}, ${asked}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

const SHOW = `async (html) => {
  const { documentElement } = new DOMParser().parseFromString(html, 'text/html')
  document.documentElement.replaceWith(document.adoptNode(documentElement))
  const unloaded = [...document.querySelectorAll('link[rel=stylesheet]')].filter(({ sheet }) => sheet === null)
  await Promise.all(unloaded.map((link) => new Promise((done) => { link.onload = link.onerror = done })))
}`

/**
 * Puts a page in place of the document of a tab of the same origin, and waits for its stylesheets.
 * Its scripts do not run.
 */
export async function showIn(tab: Page, html: string): Promise<void> {
  await tab.evaluate(`(${SHOW})(${JSON.stringify(html)})`)
}

/**
 * The texts of a page by their looks: everything that decides their contrast (color, size, weight,
 * what is painted behind them), and whether the rule applies to them (not to a disabled control,
 * nor to what is hidden).
 */
const FIND_LOOKS = `() => {
  const nameOf = (element) => element === null ? '' : element.localName + '.' + element.getAttribute('class')
  const painted = new Map([[null, '']])
  const behind = (element) => {
    if (painted.has(element)) return painted.get(element)
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position, clip, clipPath } = getComputedStyle(element)
    const isPlain = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1' && filter === 'none'
      && mixBlendMode === 'normal' && (position === 'static' || position === 'relative') && clip === 'auto' && clipPath === 'none'
    const own = isPlain ? '' : [nameOf(element), backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position, clip, clipPath].join() + ';'
    painted.set(element, own + behind(element.parentElement))
    return painted.get(element)
  }
  const found = new Set(document.querySelectorAll('input:not([type=hidden]), select, textarea'))
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) if (texts.currentNode.data.trim() !== '') found.add(texts.currentNode.parentElement)
  window.looks = new Map()
  for (const element of found) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue
    const { color, fontSize, fontWeight, textShadow, webkitTextStroke } = getComputedStyle(element)
    const isDisabled = element.closest(':disabled, [aria-disabled=true]') !== null || element.closest('label')?.control?.disabled === true
    const look = [nameOf(element), nameOf(element.parentElement), isDisabled, color, fontSize, fontWeight, textShadow, webkitTextStroke, behind(element)].join('|')
    window.looks.set(look, [...(window.looks.get(look) ?? []), element])
  }
  return [...window.looks.keys()]
}`

/**
 * Judges many pages that share their looks. All are shown in one tab, in which Chromium compiles
 * the rules once: that takes as long as to apply them to a page.
 */
export class PageJudge {
  readonly #tab: Page
  /** Looks whose contrast is enough. */
  readonly #good = new Set<string>()

  /** `tab` shows any page of the same origin. */
  constructor(tab: Page) {
    this.#tab = tab
  }

  /** The rules that the page breaks, on a phone and a desktop, in light and dark. */
  async problemsOf(page: Page): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {}
    const html = await page.evaluate<string>('document.documentElement.outerHTML')
    await this.#tab.setViewportSize({ width: 390, height: 844 })
    await showIn(this.#tab, html)
    found['phone, light'] = [
      ...(await violationsOf(this.#tab, { rules: { 'color-contrast': { enabled: false } } })),
      ...(await this.#contrastProblems()),
    ]
    // From here on only the colors change.
    await this.#tab.emulateMedia({ colorScheme: 'dark' })
    found['phone, dark'] = await this.#contrastProblems()
    await this.#tab.setViewportSize({ width: 1280, height: 800 })
    found['desktop, dark'] = await this.#contrastProblems()
    await this.#tab.emulateMedia({ colorScheme: 'light' })
    found['desktop, light'] = await this.#contrastProblems()
    return found
  }

  /** Only texts with a look that was not judged before are given to the rule. */
  async #contrastProblems(): Promise<string[]> {
    const looks = await this.#tab.evaluate<string[]>(`(${FIND_LOOKS})()`)
    const fresh = looks.filter((look) => !this.#good.has(look))
    if (fresh.length === 0) return []
    const texts = `{ include: ${JSON.stringify(fresh)}.flatMap((look) => window.looks.get(look)) }`
    const found = await violationsOf(this.#tab, { runOnly: ['color-contrast'] }, texts)
    if (found.length === 0) for (const look of fresh) this.#good.add(look)
    return found
  }
}
