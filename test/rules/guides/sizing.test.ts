import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { capacityTable } from './capacity.ts'

const GUIDE = new URL('../../../docs/guides/sizing.md', import.meta.url)
const TABLE = /(<!-- capacity -->\n)[\s\S]*(<!-- \/capacity -->)/

test('the capacity table follows from the measured CPU of requests (npm run docs rewrites it)', () => {
  const text = readFileSync(GUIDE, 'utf8')
  const wanted = text.replace(TABLE, `$1${capacityTable()}$2`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(GUIDE, wanted)
  expect(readFileSync(GUIDE, 'utf8')).toBe(wanted)
})
