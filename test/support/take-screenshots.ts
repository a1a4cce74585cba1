import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { origin, servePages } from './page-server.ts'
import { samplePages } from './sample-pages.ts'

const [phone, desktop, wide] = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]

const shots = {
  'phone-light': { viewport: phone, colorScheme: 'light' },
  'phone-dark': { viewport: phone, colorScheme: 'dark' },
  'desktop-light': { viewport: desktop, colorScheme: 'light' },
  'desktop-dark': { viewport: desktop, colorScheme: 'dark' },
  'wide-light': { viewport: wide, colorScheme: 'light' },
  'wide-dark': { viewport: wide, colorScheme: 'dark' },
  // Small, because these screenshots are kept in git.
  readme: { viewport: { width: 960, height: 600 }, colorScheme: 'light', deviceScaleFactor: 0.6 },
} as const

/** Pages whose screenshots the README shows. */
const README_PAGES = ['consent', 'connected-apps', 'admin-overview']

/** The word for all settings but that of the README. */
const ALL = 'all'
/** The word that leaves out the admin area. */
const WITHOUT_ADMIN = 'without-admin'

/**
 * Takes a screenshot of every sample page with each of the settings; words may also choose several
 * of both.
 */
export async function takeScreenshots(folder: string, words: readonly string[]): Promise<void> {
  const isAsked = (setting: string) =>
    words.includes(setting) || (words.includes(ALL) && setting !== 'readme')
  const names = Object.keys(samplePages).filter(
    (name) => !(words.includes(WITHOUT_ADMIN) && name.startsWith('admin')),
  )
  await mkdir(folder, { recursive: true })
  const server = await servePages()
  const browser = await launchBrowser([server.argument])
  try {
    for (const [setting, options] of Object.entries(shots)) {
      if (!isAsked(setting)) continue
      const context = await browser.newContext(options)
      const page = await context.newPage()
      for (const name of setting === 'readme' ? README_PAGES : names) {
        await page.setViewportSize(options.viewport)
        await page.goto(`${origin}/${name}`)
        if (setting === 'readme') await growToPage(page)
        await page.screenshot({ fullPage: true, path: `${folder}/${name}.${setting}.png` })
      }
      await context.close()
    }
  } finally {
    await browser.close()
    server.close()
  }
}

/**
 * Buttons that stay in sight stand at the end of the window, and would cover text in a picture that
 * is longer than it.
 */
async function growToPage(page: Page): Promise<void> {
  const { width } = page.viewportSize() ?? shots.readme.viewport
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height })
}
