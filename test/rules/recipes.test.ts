import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clientsPage } from '../../clients/report/clients-page.ts'
import { recipePages } from '../../clients/report/recipe-page.ts'
import { readRecord } from '../../clients/report/record.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const FOLDER = new URL('recipes/', DOCS)
const recipes = recipePages()
const read = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8')

if (process.env.UPDATE_DOCS === '1') {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const { name, markdown } of recipes) writeFileSync(new URL(`${name}.md`, FOLDER), markdown)
  writeFileSync(new URL('clients.md', DOCS), clientsPage(readRecord(), recipes))
}

describe('the recipes', () => {
  test('are the code that npm run clients runs (npm run docs writes them)', () => {
    for (const { name, markdown } of recipes) expect(read(`recipes/${name}.md`)).toBe(markdown)
    expect(readdirSync(FOLDER).toSorted()).toEqual(recipes.map(({ name }) => `${name}.md`))
  })

  test('were each tried, and docs/clients.md has the results', () => {
    const tried = readRecord().map(({ name }) => name)
    expect(tried.toSorted()).toEqual(recipes.map(({ name }) => name))
    expect(read('clients.md')).toBe(clientsPage(readRecord(), recipes))
  })

  test('patch no function', () => {
    for (const { name, markdown } of recipes) {
      expect(markdown, name).not.toMatch(/customFetch|globalThis\.fetch|\.prototype\./)
    }
  })
})
