import { afterAll, describe, expect, test } from 'vitest'
import { keepPart } from '../report/keep-part.ts'
import {
  HARMLESS_MS,
  isSteep,
  LINEAR,
  type Measured,
  measureCost,
  steepestOf,
} from './measure-cost.ts'
import { PARSERS } from './parsers.ts'

const results: { readonly parser: string; readonly measured: readonly Measured[] }[] = []

describe('the cost of an input grows no faster than the input', () => {
  for (const { name, longest, texts, work } of PARSERS) {
    test(name, async () => {
      const measured: Measured[] = []
      for (const text of texts) measured.push(await measureCost(text, longest, work))
      results.push({ parser: name, measured })
      expect(measured.filter(isSteep)).toEqual([])
    })
  }
})

const greatest = (measured: readonly Measured[], by: (one: Measured) => number): Measured =>
  measured.reduce((most, one) => (by(one) > by(most) ? one : most))

afterAll(() => {
  keepPart('cost', {
    order: 10,
    title: 'Cost of input',
    lead: [
      'CPU of each parser over eight doublings of hostile texts: runs of every special character, nested, unclosed,',
      'interleaved, with every Unicode end of a line, and the units of its own grammar. The exponent is the slope of the',
      `upper half in a logarithmic plot; at most ${LINEAR} passes. It is told for texts that cost more than ${HARMLESS_MS} ms at the full length; below, caches decide about it. The dearest text is the one that costs the most per byte at the full length.`,
    ],
    columns: ['Input', 'Texts', 'Longest', 'Steepest exponent', 'Dearest text', 'ns per byte'],
    rows: results.map(({ parser, measured }) => {
      const dearest = greatest(measured, ({ nanosecondsPerByte }) => nanosecondsPerByte)
      return [
        parser,
        measured.length,
        dearest.bytes,
        steepestOf(measured),
        `\`${dearest.name.replaceAll('`', 'ˋ')}\``,
        dearest.nanosecondsPerByte.toFixed(1),
      ]
    }),
  })
})
