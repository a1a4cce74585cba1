import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aWorld } from '../../support/world.ts'

const ROOT = new URL('../../../', import.meta.url)
const GUIDES = readdirSync(new URL('docs/guides/', ROOT)).map((name) => `docs/guides/${name}`)
const OTHERS = ['operations', 'limits', 'integrators', 'member-api', 'admin-api', 'assistants']
const PAGES = ['README.md', ...GUIDES, ...OTHERS.map((name) => `docs/${name}.md`)]

/** A path without placeholders, with the method if the sentence names it. */
const MENTION = /`(?:(GET|POST) )?(\/[\w./-]*)`/g
/** Files, an address of a client, and what is there only with a setting. */
const NO_ROUTE =
  /^\/(?:etc|root|tmp|var|dev|run|opt|usr|callback|metrics|\.well-known\/security\.txt)\b/

test('every address of the server that a page names is there', async () => {
  const { app } = await aWorld()
  const seen = new Set<string>()
  const wrong: string[] = []
  for (const page of PAGES) {
    const text = readFileSync(new URL(page, ROOT), 'utf8')
    for (const [, method = '', url = ''] of text.matchAll(MENTION)) {
      if (NO_ROUTE.test(url)) continue
      seen.add(url)
      const methods = method === '' ? ['GET', 'POST'] : [method]
      const isThere = methods.some((one) => app.hasRoute({ method: one as 'GET', url }))
      if (!isThere) wrong.push(`${page}: ${method} ${url}`)
    }
  }
  expect(seen.size).toBeGreaterThan(20)
  expect(wrong).toEqual([])
})
