type Rgb = readonly [red: number, green: number, blue: number]

export interface BrandColors {
  primaryColor: string
  accentColor: string
}

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]

/** The backgrounds of text in the stylesheet: `--page` and `--card`, light and dark. */
export const surfaces = {
  light: { page: '#f6f7f9', card: '#ffffff' },
  dark: { page: '#0f1115', card: '#181b21' },
} as const

export const defaultColors: BrandColors = { primaryColor: '#3b4cca', accentColor: '#f2a33a' }

/**
 * The school's two colours as custom properties. An operator may pick any colour, so readable
 * shades are derived from it: text on the colour and the colour as text have a contrast of at least
 * 4.5 to 1 (6 to 1 in dark mode, where thin coloured strokes look dimmer than they measure), the
 * edge of a filled shape and the focus ring 3 to 1.
 *
 * @see WCAG 2.2 §1.4.3, §1.4.11
 */
export function themeStylesheet(colors: BrandColors): string {
  const primary = parseColor(colors.primaryColor, defaultColors.primaryColor)
  const accent = parseColor(colors.accentColor, defaultColors.accentColor)
  return [
    `:root {\n${declarations(primary, accent, 'light', '  ')}}\n`,
    '@media screen and (prefers-color-scheme: dark) {\n',
    `  :root {\n${declarations(primary, accent, 'dark', '    ')}  }\n}\n`,
  ].join('')
}

function declarations(primary: Rgb, accent: Rgb, scheme: 'light' | 'dark', indent: string): string {
  const behind = [toRgb(surfaces[scheme].page), toRgb(surfaces[scheme].card)]
  const away = scheme === 'light' ? black : white
  const onPrimary = textOn(primary)
  const values = {
    '--brand': primary,
    '--brand-hover': mix(primary, onPrimary === white ? black : white, 0.14),
    '--on-brand': onPrimary,
    '--brand-edge': shiftUntil(primary, away, behind, 3),
    '--brand-text': shiftUntil(primary, away, behind, scheme === 'light' ? 4.5 : 6),
    '--accent': accent,
    '--on-accent': textOn(accent),
  }
  return Object.entries(values)
    .map(([name, color]) => `${indent}${name}: ${toHex(color)};\n`)
    .join('')
}

/** For a mail, which has no stylesheet: a filled shape, and the words on it. */
export function buttonColors(primaryColor: string): { fill: string; words: string } {
  const fill = parseColor(primaryColor, defaultColors.primaryColor)
  return { fill: toHex(fill), words: toHex(textOn(fill)) }
}

/** Sentences that say how readable the main colour is, and what the stylesheet changes. */
export function legibilityOf(primaryColor: string): readonly string[] {
  const color = parseColor(primaryColor, defaultColors.primaryColor)
  const on = textOn(color)
  const ratio = (value: number) => `${value.toFixed(1)} to 1`
  const schemes = (['light', 'dark'] as const).map((scheme) => {
    const own = Math.min(...Object.values(surfaces[scheme]).map((it) => contrast(color, toRgb(it))))
    const wanted = scheme === 'light' ? 4.5 : 6
    return own >= wanted
      ? `On ${scheme} pages it is easy to read as it is: ${ratio(own)}.`
      : `On ${scheme} pages its ${ratio(own)} is too faint for words, so links get a ${scheme === 'light' ? 'darker' : 'lighter'} shade.`
  })
  return [
    `Words on it are ${on === white ? 'white' : 'black'}: ${ratio(contrast(on, color))}.`,
    ...schemes,
  ]
}

// Only hexadecimal is accepted: the value goes into a stylesheet, where other text could close the
// rule and open another.
function parseColor(text: string, fallback: string): Rgb {
  const hex = text.trim().toLowerCase()
  if (/^#[0-9a-f]{6}$/.test(hex)) return toRgb(hex)
  if (/^#[0-9a-f]{3}$/.test(hex)) return toRgb(hex.replace(/[0-9a-f]/g, '$&$&'))
  return toRgb(fallback)
}

function toRgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function toHex(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function textOn(background: Rgb): Rgb {
  return contrast(white, background) >= 4.5 ? white : black
}

function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const channel = (i: 0 | 1 | 2) => Math.round(color[i] + (other[i] - color[i]) * share)
  return [channel(0), channel(1), channel(2)]
}

/** The nearest shade, towards black or white, that has enough contrast to all backgrounds. */
function shiftUntil(color: Rgb, away: Rgb, behind: readonly Rgb[], ratio: number): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const shade = mix(color, away, share)
    if (behind.every((surface) => contrast(shade, surface) >= ratio)) return shade
  }
  return away
}

/** @see WCAG 2.2, contrast ratio */
function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** @see WCAG 2.2, relative luminance */
function luminance(color: Rgb): number {
  const linear = (channel: number) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}
