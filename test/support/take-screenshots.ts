import { mkdir, writeFile } from 'node:fs/promises'
import { launchBrowser } from './browser.ts'
import { origin, servePages } from './page-server.ts'
import { samplePages } from './sample-pages.ts'
import { shrinkPng } from './shrink-png.ts'

const shots = {
  'desktop-light': { viewport: { width: 1024, height: 768 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1024, height: 768 }, colorScheme: 'dark' },
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const

/** A picture of every sample page in every setting named, for people to look at. */
export async function takeScreenshots(folder: string, settings: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    for (const [setting, options] of Object.entries(shots)) {
      if (!settings.includes(setting)) continue
      const context = await browser.newContext(options)
      await servePages(context)
      const page = await context.newPage()
      for (const name of Object.keys(samplePages)) {
        await page.goto(`${origin}/${name}`)
        const picture = await page.screenshot({ fullPage: true })
        await writeFile(`${folder}/${name}.${setting}.png`, shrinkPng(picture))
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
}
