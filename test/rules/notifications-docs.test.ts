import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CAUSES, TOPICS } from '../../src/domain/notifications/causes.ts'

const PAGE = new URL('../../docs/notifications.md', import.meta.url)
const PART = /(?<=<!-- causes -->\n)[\s\S]*?(?=<!-- \/causes -->)/

/** The table of docs/notifications.md is written from the code: `npm run docs`. */
test('docs/notifications.md lists every cause', () => {
  const rows = TOPICS.flatMap((topic) =>
    Object.entries(CAUSES)
      .filter(([, cause]) => cause.topic === topic)
      .map(([kind, { when, mailed }]) => `| \`${topic}\` | \`${kind}\` | ${when} | ${mailed} |`),
  )
  const table = ['| Topic | Kind | When | By email |', '| --- | --- | --- | --- |', ...rows, '']
  const page = readFileSync(PAGE, 'utf8')
  const wanted = page.replace(PART, table.join('\n'))
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, wanted)
  else expect(page, 'npm run docs writes it').toBe(wanted)
})
