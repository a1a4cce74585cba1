import { once } from 'node:events'
import { createServer } from 'node:http'
import { loadAssets } from '../../src/foundation/html/assets.ts'
import { defaultColors, themeStylesheet } from '../../src/foundation/html/theme.ts'
import { policyWithScript } from '../../src/foundation/http/security-headers.ts'
import { portOf } from './raw-http.ts'
import { samplePages } from './sample-pages.ts'

export const origin = 'http://school.test'

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const pictures: Record<string, string> = {
  '/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><title>Harbor</title><path fill="#0b7285" d="M20 2l4 20h12l-4 12H8L4 22h12z"/></svg>',
  '/planner.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="48" height="48"><title>Study Planner</title><rect width="48" height="48" rx="12" fill="#0b7285"/><rect x="11" y="13" width="26" height="24" rx="4" fill="#fff"/><path stroke="#fff" stroke-width="3" stroke-linecap="round" d="M17 9v6m14-6v6"/><path stroke="#0b7285" stroke-width="3" stroke-linecap="round" stroke-linejoin="round" fill="none" d="M18 26l4 4 8-8"/></svg>',
  '/avatar.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><title>Ada</title><rect width="40" height="40" fill="#ffd8a8"/><circle cx="20" cy="16" r="8" fill="#5f3dc4"/><path fill="#5f3dc4" d="M4 40a16 14 0 0 1 32 0z"/></svg>',
}

const themes: Record<string, string> = {
  '/theme.demo.css': themeStylesheet(defaultColors),
  '/admin/appearance/preview.css': themeStylesheet({
    primaryColor: '#ffe066',
    accentColor: '#0f766e',
  }).replaceAll(':root', '.appearance-preview'),
  '/theme.harbor.css': themeStylesheet({ primaryColor: '#0b7285', accentColor: '#ffd43b' }),
}

/** Has a digest of its content in its name, so that a browser keeps it from page to page. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' }

export interface PageServer {
  /** The argument for a browser that finds `origin` here. */
  readonly argument: string
  close(): void
}

/**
 * Answers the browser's requests, so that views are tested without the application. Pages may have
 * stylesheets of their own.
 */
export async function servePages(
  pages: Readonly<Record<string, string>> = samplePages,
): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    const { body, ...headers } = answerTo(pathname, pages)
    request.resume()
    response.writeHead(200, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    argument: `--host-resolver-rules=MAP school.test 127.0.0.1:${portOf(server)}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answerTo(pathname: string, pages: Readonly<Record<string, string>>) {
  const asset = loadAssets().byPath.get(pathname)
  if (asset) return { 'content-type': asset.contentType, ...KEPT, body: asset.body }
  const theme = themes[pathname]
  if (theme) return { 'content-type': 'text/css', ...KEPT, body: theme }
  const picture = pictures[pathname]
  if (picture) return { 'content-type': 'image/svg+xml', ...KEPT, body: picture }
  const body = pages[pathname.slice(1)] ?? 'posted'
  if (pathname.endsWith('.css')) return { 'content-type': 'text/css', body }
  const [, script] = /<script src="([^"]+)"/.exec(body) ?? []
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${script === undefined ? policy : policyWithScript(origin, script)}; media-src 'self'`,
    body,
  }
}
