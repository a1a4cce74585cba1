import { mkdir } from 'node:fs/promises'
import { launchBrowser } from './browser.ts'
import { origin, servePages } from './page-server.ts'
import { samplePages } from './sample-pages.ts'

const shots = {
  'desktop-light': { viewport: { width: 1024, height: 768 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1024, height: 768 }, colorScheme: 'dark' },
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  // Small, because these screenshots are kept in git.
  readme: { viewport: { width: 960, height: 600 }, colorScheme: 'light', deviceScaleFactor: 0.6 },
} as const

/** Pages whose screenshots the README shows. */
const README_PAGES = ['consent', 'connected-apps', 'admin-overview']

/** Takes a screenshot of every sample page with each of the settings. */
export async function takeScreenshots(folder: string, settings: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    for (const [setting, options] of Object.entries(shots)) {
      if (!settings.includes(setting)) continue
      const context = await browser.newContext(options)
      await servePages(context)
      const page = await context.newPage()
      for (const name of setting === 'readme' ? README_PAGES : Object.keys(samplePages)) {
        await page.goto(`${origin}/${name}`)
        await page.screenshot({ fullPage: true, path: `${folder}/${name}.${setting}.png` })
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
}
