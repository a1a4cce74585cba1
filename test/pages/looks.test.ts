import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { samplePages } from '../support/sample-pages.ts'

const sheets = new Map(
  ['schoolgate', 'site', 'admin', 'charts'].map((name) => [
    name,
    readFileSync(new URL(`../../assets/${name}.css`, import.meta.url), 'utf8'),
  ]),
)

/** The looks of the buttons of a page that none of its stylesheets has. */
function unstyledOn(html: string): readonly string[] {
  const linked = [...html.matchAll(/href="\/assets\/([a-z]+)\.[0-9a-f]{12}\.css"/g)]
  const styles = linked.map(([, name = '']) => sheets.get(name) ?? '').join('\n')
  const looks = [...html.matchAll(/class="button (button-[a-z]+)"/g)].map(([, look = '']) => look)
  return [...new Set(looks)].filter((look) => !styles.includes(`.${look} {`))
}

test('every button of every page has its look in a stylesheet that the page loads', () => {
  const unstyled = Object.entries(samplePages).flatMap(([name, html]) =>
    unstyledOn(html).map((look) => `${name}: ${look}`),
  )
  expect(unstyled).toEqual([])
})
