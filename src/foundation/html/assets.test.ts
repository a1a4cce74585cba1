import { describe, expect, test } from 'vitest'
import { assetUrl, loadAssets } from './assets.ts'

describe('assets', () => {
  test('are served at a path that changes with their content', () => {
    const path = assetUrl('schoolgate.css')
    expect(path).toMatch(/^\/assets\/schoolgate\.[0-9a-f]{12}\.css$/)
    expect(loadAssets().byPath.get(path)?.contentType).toBe('text/css; charset=utf-8')
  })

  test('a name that does not exist throws at once', () => {
    expect(() => assetUrl('nothing.css')).toThrow('There is no file nothing.css')
  })
})
