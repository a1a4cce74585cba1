import { describe, expect, test } from 'vitest'
import { boundaryIn, type FormPart, readMultipart, textOfPart } from './multipart.ts'

const BOUNDARY = '----WebKitFormBoundaryx'

function formOf(...parts: string[]): string {
  return `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`
}

async function* inPieces(body: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(body: string, size = 65_536) {
  const found: { part: Omit<FormPart, 'bytes'>; text: string }[] = []
  for await (const part of readMultipart(inPieces(body, size), BOUNDARY)) {
    const { bytes: _, ...rest } = part
    found.push({ part: rest, text: await textOfPart(part, 10_000) })
  }
  return found
}

const TOKEN = 'Content-Disposition: form-data; name="form_token"\r\n\r\nsecret'
const FILE =
  'Content-Disposition: form-data; name="file"; filename="a %22b%22.txt"\r\nContent-Type: text/plain\r\n\r\none\r\n--\r\n----WebKitFormBoundary\r\ntwo'

describe('a form with files', () => {
  test('gives its fields and files, whatever the size of the chunks', async () => {
    for (const size of [1, 2, 3, 7, 64, 65_536]) {
      expect(await read(formOf(TOKEN, FILE), size)).toEqual([
        { part: { name: 'form_token', fileName: undefined, contentType: '' }, text: 'secret' },
        {
          part: { name: 'file', fileName: 'a "b".txt', contentType: 'text/plain' },
          text: 'one\r\n--\r\n----WebKitFormBoundary\r\ntwo',
        },
      ])
    }
  })

  test('skips the rest of a part that was not read', async () => {
    const names: string[] = []
    for await (const { name } of readMultipart(inPieces(formOf(FILE, TOKEN), 5), BOUNDARY)) {
      names.push(name)
    }
    expect(names).toEqual(['file', 'form_token'])
  })

  test('keeps an empty file and an empty field', async () => {
    const empty = 'Content-Disposition: form-data; name="file"; filename=""\r\n\r\n'
    expect((await read(formOf(empty)))[0]).toEqual({
      part: { name: 'file', fileName: '', contentType: '' },
      text: '',
    })
  })

  test('is refused if it ends too early or is not a form', async () => {
    for (const body of [
      '',
      'no form',
      formOf(TOKEN).slice(0, -8),
      `--${BOUNDARY}\r\nName: x\r\n\r\n`,
    ]) {
      await expect(read(body)).rejects.toThrow('The form is incomplete')
    }
  })

  test('is refused if the headers of a part never end, before they fill the memory', async () => {
    const endless = `--${BOUNDARY}\r\n${'x: y\r\n'.repeat(10_000)}`
    await expect(read(endless, 512)).rejects.toThrow('The form is incomplete')
  })

  test('is refused if a field is too long', async () => {
    const long = `Content-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(20_000)}`
    await expect(read(formOf(long))).rejects.toThrow('too long')
  })
})

describe('a boundary', () => {
  test('is read from the content type, quoted or not', () => {
    expect(boundaryIn('multipart/form-data; boundary=abc')).toBe('abc')
    expect(boundaryIn('multipart/form-data; charset=utf-8; boundary="a b"')).toBe('a b')
  })

  test('is refused if it is missing or too long', () => {
    const types = [
      undefined,
      'multipart/form-data',
      `multipart/form-data; boundary="${'x'.repeat(71)}"`,
    ]
    for (const type of types) expect(() => boundaryIn(type)).toThrow('The form is incomplete')
  })
})
