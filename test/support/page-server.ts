import type { BrowserContext } from 'playwright-core'
import { loadAssets } from '../../src/foundation/html/assets.ts'
import { defaultColors, themeStylesheet } from '../../src/foundation/html/theme.ts'
import { policyWithScript } from '../../src/foundation/http/security-headers.ts'
import { samplePages } from './sample-pages.ts'

export const origin = 'http://school.test'

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><title>Harbor</title><path fill="#0b7285" d="M20 2l4 20h12l-4 12H8L4 22h12z"/></svg>'
const avatar =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><title>Ada</title><rect width="40" height="40" fill="#ffd8a8"/><circle cx="20" cy="16" r="8" fill="#5f3dc4"/><path fill="#5f3dc4" d="M4 40a16 14 0 0 1 32 0z"/></svg>'

const themes: Record<string, string> = {
  '/theme.demo.css': themeStylesheet(defaultColors),
  '/admin/appearance/preview.css': themeStylesheet({
    primaryColor: '#ffe066',
    accentColor: '#0f766e',
  }).replaceAll(':root', '.appearance-preview'),
  '/theme.harbor.css': themeStylesheet({ primaryColor: '#0b7285', accentColor: '#ffd43b' }),
}

/**
 * Answers the browser's requests, so that views are tested without a server. Requests to other
 * origins are aborted and kept in the returned list.
 */
export async function servePages(
  context: BrowserContext,
  pages: Record<string, string> = samplePages,
): Promise<string[]> {
  const foreign: string[] = []
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url())
    const { pathname } = url
    const asset = loadAssets().byPath.get(pathname)
    if (url.origin !== origin) {
      foreign.push(url.href)
      return route.abort()
    }
    if (asset) return route.fulfill(asset)
    if (themes[pathname]) return route.fulfill({ contentType: 'text/css', body: themes[pathname] })
    if (pathname === '/logo.svg') return route.fulfill({ contentType: 'image/svg+xml', body: logo })
    if (pathname === '/avatar.svg')
      return route.fulfill({ contentType: 'image/svg+xml', body: avatar })
    const body = pages[pathname.slice(1)] ?? 'posted'
    const [, script] = /<script src="([^"]+)"/.exec(body) ?? []
    return route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: {
        'content-security-policy': `${script === undefined ? policy : policyWithScript(origin, script)}; media-src 'self'`,
      },
      body,
    })
  })
  return foreign
}
