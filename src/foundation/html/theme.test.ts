import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assetUrl, loadAssets } from './assets.ts'
import { defaultColors, surfaces, themeStylesheet } from './theme.ts'

type Scheme = 'light' | 'dark'

function customProperties(css: string, scheme: Scheme): Record<string, string> {
  const [light = '', dark = ''] = css.split('@media screen and (prefers-color-scheme: dark)')
  const lines = (scheme === 'light' ? light : dark).matchAll(/(--[a-z-]+): (#[0-9a-f]{6});/g)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}

function relativeLuminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [relativeLuminance(one), relativeLuminance(other)].sort(
    (a, b) => a - b,
  )
  return (light + 0.05) / (dark + 0.05)
}

function expectReadable(css: string, scheme: Scheme): void {
  const color = customProperties(css, scheme)
  expect(contrast(color['--on-brand'], color['--brand'])).toBeGreaterThanOrEqual(4.5)
  expect(contrast(color['--on-brand'], color['--brand-hover'])).toBeGreaterThanOrEqual(4.5)
  expect(contrast(color['--on-accent'], color['--accent'])).toBeGreaterThanOrEqual(4.5)
  for (const surface of Object.values(surfaces[scheme])) {
    expect(contrast(color['--brand-text'], surface)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(color['--brand-edge'], surface)).toBeGreaterThanOrEqual(3)
  }
}

describe('themeStylesheet', () => {
  test.each(['#ffff00', '#ffffff', '#000000', '#777777', '#f0f', '#0000FF'])(
    'keeps everything readable with %s',
    (picked) => {
      const css = themeStylesheet({ primaryColor: picked, accentColor: picked })
      expectReadable(css, 'light')
      expectReadable(css, 'dark')
    },
  )

  test('keeps everything readable with any colour', () => {
    const hex = fc
      .integer({ min: 0, max: 0xffffff })
      .map((n) => `#${n.toString(16).padStart(6, '0')}`)
    fc.assert(
      fc.property(hex, hex, (primaryColor, accentColor) => {
        const css = themeStylesheet({ primaryColor, accentColor })
        expectReadable(css, 'light')
        expectReadable(css, 'dark')
      }),
    )
  })

  test('fills with exactly the colour that was picked', () => {
    const css = themeStylesheet({ primaryColor: '#0B7285', accentColor: '#fc0' })
    expect(customProperties(css, 'light')).toMatchObject({
      '--brand': '#0b7285',
      '--accent': '#ffcc00',
    })
  })

  test.each(['', 'red', '#12345', '#0b7285; } body { display: none', 'url(//evil.example)'])(
    'uses the default for %j, and lets nothing of it into the stylesheet',
    (picked) => {
      expect(themeStylesheet({ primaryColor: picked, accentColor: picked })).toBe(
        themeStylesheet(defaultColors),
      )
    },
  )
})

describe('the stylesheet', () => {
  const css = loadAssets().byPath.get(assetUrl('schoolgate.css'))?.body.toString() ?? ''

  test.each(['light', 'dark'] as const)(
    'has the surfaces that the theme reckons with: %s',
    (scheme) => {
      const { page, card } = surfaces[scheme]
      expect(customProperties(css, scheme)).toMatchObject({ '--page': page, '--card': card })
    },
  )

  test.each(['light', 'dark'] as const)(
    'looks like the default theme without one: %s',
    (scheme) => {
      const theme = customProperties(themeStylesheet(defaultColors), scheme)
      expect(customProperties(css, scheme)).toMatchObject(theme)
    },
  )

  test('loads nothing from anywhere', () => {
    expect(css).not.toMatch(/url\(|@import|@font-face/)
  })
})
