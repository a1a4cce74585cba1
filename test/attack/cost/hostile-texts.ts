/** A text of a given length that is hard for parsers. */
export interface HostileText {
  readonly name: string
  readonly make: (length: number) => string
}

/** Every Unicode end of a line, and what some programs take for one. */
export const LINE_ENDS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029']

const SPECIAL = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t0a']
const WIDE = ['\u00a0', '\u3000', '\ufeff', '\u0301', '\u200d', '\u202e', 'é', '日', '💥']

const repeated = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

const run = (unit: string, before = '', after = ''): HostileText => ({
  name: JSON.stringify(`${before}${unit}…${after}`),
  make: (length) =>
    before + repeated(unit, Math.max(0, length - before.length - after.length)) + after,
})

const nested = (open: string, close: string): HostileText => ({
  name: JSON.stringify(`${open}…${close}…`),
  make: (length) => {
    const depth = Math.floor(length / (open.length + close.length))
    return open.repeat(depth) + close.repeat(depth)
  },
})

/** Runs of one character, alone, between letters, before and after something that does not fit. */
const runs = [...SPECIAL, ...LINE_ENDS, ...WIDE].flatMap((unit) => [
  run(unit),
  run(`k${unit}`),
  run(unit, 'a', 'b'),
  run(unit, '', '\u2028'),
])

const unclosed = ['(', '[', '{', '<', '"', "'", '`', '[a](', '<a ', '/*', '${'].map((open) =>
  run(`${open}a `),
)

const interleaved = SPECIAL.flatMap((one, place) => {
  const other = SPECIAL[(place + 7) % SPECIAL.length] ?? '.'
  return [run(one + other), run(`${one}${one}${other}`), run(`${one} ${other}a`)]
})

/** For every parser. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...runs,
  ...unclosed,
  ...interleaved,
  nested('(', ')'),
  nested('[', ']'),
  nested('{', '}'),
  nested('<', '>'),
  nested('"', '"'),
]

/** For one parser: the units of its own grammar, in runs and nested. */
export function ownTexts(
  units: readonly string[],
  pairs: readonly (readonly [open: string, close: string])[] = [],
): readonly HostileText[] {
  return [...units.map((unit) => run(unit)), ...pairs.map(([open, close]) => nested(open, close))]
}

/** The same texts inside something that makes them reach further. */
export function within(
  before: string,
  after: string,
  texts: readonly HostileText[],
): HostileText[] {
  return texts.map(({ name, make }) => ({
    name: `${before}${name}${after}`,
    make: (length) => before + make(Math.max(0, length - before.length - after.length)) + after,
  }))
}
