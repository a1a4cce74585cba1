import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { samplePages } from '../support/sample-pages.ts'

const sheets = new Map(
  ['schoolgate', 'site', 'admin', 'charts'].map((name) => [name, classesIn(name)]),
)

function classesIn(name: string): readonly string[] {
  const sheet = readFileSync(new URL(`../../assets/${name}.css`, import.meta.url), 'utf8')
  return [...sheet.matchAll(/\.([a-z][a-z0-9-]+)/g)].map(([, one = '']) => one)
}

/** Kinds of fields of the admin area that look like all others. */
const LIKE_OTHERS = ['choices', 'list', 'wrong']

/** The classes of a page that none of its stylesheets has. */
function unstyledOn(html: string): readonly string[] {
  const linked = [...html.matchAll(/href="\/assets\/([a-z]+)\.[0-9a-f]{12}\.css"/g)]
  const styled = new Set([
    ...LIKE_OTHERS,
    ...linked.flatMap(([, name = '']) => sheets.get(name) ?? []),
  ])
  const used = [...html.matchAll(/<[^<>]+ class="([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  return [...new Set(used)].filter((name) => !styled.has(name))
}

test('every part of every page has its look in a stylesheet that the page loads', () => {
  const unstyled = Object.entries(samplePages).flatMap(([name, html]) =>
    unstyledOn(html).map((look) => `${name}: ${look}`),
  )
  expect(unstyled).toEqual([])
})
