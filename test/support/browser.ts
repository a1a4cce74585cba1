import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { bundledChromium } from './bundled-chromium.ts'

/**
 * The small one first: a whole browser draws a window with its own pages, and takes twice the CPU.
 */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * How long an action waits for its element or its page. Playwright's own 30 seconds are too short
 * on a busy machine.
 */
const PATIENCE_MS = 60_000

/** A headless Chromium with a new, empty profile. The caller closes it. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const { executablePath, env } = await findChromium()
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-gpu',
      '--no-first-run',
      '--disable-lcd-text',
      ...more,
    ],
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}

async function findChromium(): Promise<{ executablePath: string; env?: Record<string, string> }> {
  const named = process.env.SCHOOLGATE_CHROMIUM
  if (named !== undefined) {
    if (existsSync(named)) return { executablePath: named }
    throw new Error(`SCHOOLGATE_CHROMIUM is ${named}, but there is no such file.`)
  }
  if (process.platform === 'linux' && process.arch === 'x64') return bundledChromium()
  const found = installed.find((path) => existsSync(path))
  if (found !== undefined) return { executablePath: found }
  throw new Error(
    `The browser tests need a Chromium, and npm brings one for Linux on x86-64 only (this is ${process.platform} on ${process.arch}). ` +
      'Install one ("apt install chromium-headless-shell", or Google Chrome on macOS), or set SCHOOLGATE_CHROMIUM to the path of any Chromium or Chrome.',
  )
}
