import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { lineReader } from './csv-reader.ts'
import { type FileRecord, readRecords } from './read-records.ts'

async function read(
  pieces: readonly Uint8Array[],
  maxLength?: number,
): Promise<FileRecord<string>[]> {
  const source = (async function* () {
    yield* pieces
  })()
  const all: FileRecord<string>[] = []
  for await (const some of readRecords(source, lineReader(maxLength))) all.push(...some)
  return all
}

describe('a file of lines', () => {
  test('is read whole in pieces of any size, with line numbers and a byte order mark', async () => {
    const bytes = Buffer.from('\ufeff{"a":"ä"}\r\n\n{"b":"€"}')
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte))
    expect(await read(pieces)).toEqual([
      { line: 1, content: '{"a":"ä"}' },
      { line: 3, content: '{"b":"€"}' },
    ])
  })

  test('a line beyond the limit is refused without keeping it, and the next one is read', async () => {
    const pieces = ['short\n', 'x'.repeat(30), 'x'.repeat(30), '\nnext\n', 'y'.repeat(30)]
    const lines = await read(
      pieces.map((piece) => Buffer.from(piece)),
      20,
    )
    expect(lines.map((record) => ('problem' in record ? record.problem.code : 'ok'))).toEqual([
      'ok',
      'too_long',
      'ok',
      'too_long',
    ])
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4])
  })

  test('bytes that are not UTF-8 are refused with their line', async () => {
    await expect(read([Buffer.from('a\n'), Uint8Array.of(0xff, 0xfe)])).rejects.toMatchObject({
      code: 'not_utf8',
      line: 2,
    })
  })

  test.each([1, 2, 5, 1000])(
    'lines before the first byte that is not UTF-8 are read, in pieces of %i bytes',
    async (size) => {
      const bytes = Buffer.concat([Buffer.from('\ufeffä€\n𝄞b\nc'), Uint8Array.of(0xe9, 0x0a, 0x64)])
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) =>
        bytes.subarray(place * size, (place + 1) * size),
      )
      const read: FileRecord<string>[] = []
      const reading = async () => {
        for await (const some of readRecords(Readable.from(pieces), lineReader()))
          read.push(...some)
      }
      await expect(reading()).rejects.toMatchObject({ code: 'not_utf8', line: 3 })
      expect(read).toEqual([
        { line: 1, content: 'ä€' },
        { line: 2, content: '𝄞b' },
      ])
    },
  )

  test('thousands of short records are handed on in parts, and other work runs between them', async () => {
    const source = (async function* () {
      yield Buffer.from('1\n'.repeat(5_000))
    })()
    const sizes: number[] = []
    for await (const some of readRecords(source, lineReader())) sizes.push(some.length)
    expect(sizes).toEqual(Array(10).fill(500))
  })

  test('the event loop runs other work while one large piece is read', async () => {
    let turns = 0
    const count = (): void => {
      turns += 1
      if (turns < 1000) setImmediate(count)
    }
    setImmediate(count)
    await read([Buffer.from('line\n'.repeat(200_000))])
    expect(turns).toBeGreaterThan(10)
    turns = 1000
  })
})
