import { expect, test } from 'vitest'
import { assetUrl } from '../../../src/foundation/html/assets.ts'
import { Visitor } from '../../support/browser-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const visitor = new Visitor(world, await world.aSchool())

test('a stylesheet is named by its content and cacheable without end', async () => {
  const answer = await visitor.get(assetUrl('schoolgate.css'))
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['cache-control']).toContain('immutable')
})

test('pictures of the demo world are served by the school itself', async () => {
  const answer = await visitor.get('/assets/avatars/ada.svg')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('image/svg+xml')
})

test('a path out of the folder is not found', async () => {
  for (const path of ['/assets/../package.json', '/assets/%2e%2e/package.json', '/assets/x.css']) {
    expect((await visitor.get(path)).statusCode).toBe(404)
  }
})

test('the theme has the colors of the school, and an old version is not found', async () => {
  const answer = await visitor.get('/theme.000000000000.css')
  expect(answer.body).toContain('--brand: #1f4b99')
  expect(answer.headers['cache-control']).toBe('no-store')
})
