import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { barLine, ProgressBar } from './describe-kind.ts'

function collecting(isTTY: boolean) {
  const written: string[] = []
  const out = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { out: Object.assign(out, { isTTY }), written }
}

describe('the progress bar', () => {
  test('says how far, how many and how fast', () => {
    expect(barLine('courses', 0.5, 21_000, 2)).toBe(
      'courses [████████████············]  50%  21,000 rows, 10,500 a second',
    )
    expect(barLine('courses', undefined, 5, 1)).toBe('courses  5 rows, 5 a second')
  })

  test('is drawn on a terminal and taken away again', () => {
    const { out, written } = collecting(true)
    const bar = new ProgressBar(out, 'courses', false)
    bar.show(1)
    bar.clear()
    expect(written).toHaveLength(2)
    expect(written[1]).toBe('\r\u001b[K')
  })

  test.each([
    ['a file', false, false],
    ['a program that asked for JSON', true, true],
  ])('is not shown to %s', (_whom, isTTY, quiet) => {
    const { out, written } = collecting(isTTY)
    const bar = new ProgressBar(out, 'courses', quiet)
    bar.show(1)
    bar.clear()
    expect(written).toEqual([])
  })
})
