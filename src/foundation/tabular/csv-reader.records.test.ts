import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cell, csvLine, csvReader, guarded, unguarded } from './csv-reader.ts'
import type { FileRecord, RecordReader } from './read-records.ts'

function readAll<T>(reader: RecordReader<T>, pieces: readonly string[]): FileRecord<T>[] {
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const cellsOf = (text: string): unknown =>
  readAll(csvReader(), [text]).map((record) => ('content' in record ? record.content : record))

describe('CSV', () => {
  test('is read as it was written, wherever the file is cut into pieces', () => {
    const cell = fc.oneof(
      fc.constant(null),
      fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', ' ', "'", '=', '\t') }),
    )
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 7 }), (written, size) => {
        const text = `a,b\n${written.map((cells) => csvLine(cells)).join('')}`
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const read = readAll(csvReader(), pieces)
        expect(read.map((record) => 'content' in record && record.content)).toEqual([
          ['a', 'b'],
          ...written,
        ])
      }),
    )
  })

  test('reads an empty cell as null and an empty pair of quotes as text, and skips empty lines', () => {
    expect(cellsOf('a,b\n,""\n\n"",\n')).toEqual([
      ['a', 'b'],
      [null, ''],
      ['', null],
    ])
  })

  test.each([
    [';', 'a;b\n1;2'],
    ['\t', 'a\tb\r\n1\t2\r\n'],
  ])('takes %j as the separator if the first line contains it', (_separator, text) => {
    expect(cellsOf(text)).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  test.each([
    ['a heading in quotation marks', '"Name, full, or short";Email\nAda;ada@example.test'],
    ['a heading without them', 'Name;Email;Notes, if any\nAda;ada@example.test;'],
  ])('a comma in %s does not separate the cells of a file with semicolons', (_where, text) => {
    const [, row] = cellsOf(text) as string[][]
    expect(row?.slice(0, 2)).toEqual(['Ada', 'ada@example.test'])
  })

  test.each([1, 2, 3, 100])('reads lines that end with CR alone, in pieces of %i', (size) => {
    const pieces = 'a,b\r1,2\r"x\ry",3\r'.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    const read = readAll(csvReader(), pieces)
    expect(read.map((record) => 'content' in record && record.content)).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['x\ny', '3'],
    ])
    expect(read.map(({ line }) => line)).toEqual([1, 2, 3])
  })

  test('counts lines in the file, also those inside quotation marks', () => {
    const lines = readAll(csvReader(), ['a,b\n"x\ny\nz",1\n2,3\n']).map(({ line }) => line)
    expect(lines).toEqual([1, 2, 5])
  })

  test('refuses a quotation mark in the middle of a cell and goes on with the next line', () => {
    const read = readAll(csvReader(), ['a,b\nx"y,1\n"x"y,2\n3,4\n'])
    expect(read.map((record) => 'problem' in record)).toEqual([false, true, true, false])
  })

  test('an unclosed quotation mark is reported with the line that opened it', () => {
    expect(() => readAll(csvReader(), ['a,b\n1,2\n"x,3\n'])).toThrowError(
      expect.objectContaining({ line: 3, code: 'unclosed_quote' }),
    )
    expect(() => readAll(csvReader(50), ['a,b\n"', 'x'.repeat(60)])).toThrowError(
      expect.objectContaining({ line: 2, code: 'too_long' }),
    )
  })

  test('a record that is too long is refused, and the next one is read', () => {
    const read = readAll(csvReader(20), ['a,b\n', `${'x'.repeat(30)},1\n3,4\n`])
    expect(read.map((record) => 'problem' in record && record.problem.code)).toEqual([
      false,
      'too_long',
      false,
    ])
  })
})

describe('a text that a spreadsheet would run', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', "'=1"])(
    '%j is guarded',
    (text) => {
      expect(guarded(text)).toBe(`'${text}`)
      expect(unguarded(guarded(text))).toBe(text)
    },
  )

  test('other texts stay unchanged, and every text survives export and import', () => {
    expect(guarded("it's = 5")).toBe("it's = 5")
    expect(unguarded("'quoted'")).toBe("'quoted'")
    const unit = fc.constantFrom("'", '=', '-', '@', 'a', '\t')
    fc.assert(fc.property(fc.string({ unit }), (text) => unguarded(guarded(text)) === text))
  })

  test('a separator of another spreadsheet inside a cell does not start a cell with a formula', () => {
    const cells: Cell[] = ['a;=1', 'a\t=1', 'a|=1']
    expect(csvLine(cells)).toBe('"a;=1","a\t=1","a|=1"\r\n')
  })
})
