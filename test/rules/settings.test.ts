import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { variables } from '../../src/variables.ts'

const SETTINGS = new URL('../../docs/settings.md', import.meta.url)
const TABLE = /(<!-- configuration -->\n)[\s\S]*(<!-- \/configuration -->)/

function configurationTable(): string {
  const rows = Object.entries(variables).map(
    ([name, { fallback, about }]) =>
      `| \`${name}\` | ${fallback === undefined || fallback === '' ? '' : `\`${fallback}\``} | ${about} |`,
  )
  return ['| Variable | Default | What it is for |', '| --- | --- | --- |', ...rows, ''].join('\n')
}

test('docs/settings.md lists every variable of the environment (npm run docs rewrites it)', () => {
  const text = readFileSync(SETTINGS, 'utf8')
  const wanted = text.replace(TABLE, `$1${configurationTable()}$2`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(SETTINGS, wanted)
  expect(readFileSync(SETTINGS, 'utf8')).toBe(wanted)
})
