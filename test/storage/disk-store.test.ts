import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { FileTooLargeError } from '../../src/foundation/storage/file-store.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-store-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the disk store', () => {
  test('keeps no part of a file that is too large', async () => {
    const store = createDiskStore(folder)
    const bytes = Readable.from([Buffer.alloc(10), Buffer.alloc(10)])
    await expect(store.write('ab', bytes, 15)).rejects.toBeInstanceOf(FileTooLargeError)
    expect(await readdir(join(folder, 'incoming'))).toEqual([])
  })

  test('keeps no part of an upload that fails', async () => {
    const store = createDiskStore(folder)
    async function* broken() {
      yield Buffer.from('half')
      throw new Error('hung up')
    }
    await expect(store.write('cd', broken(), 100)).rejects.toThrow('hung up')
    expect(await readdir(join(folder, 'incoming'))).toEqual([])
  })

  test('keeps no bytes that a check refuses', async () => {
    const store = createDiskStore(folder)
    const refused = store.write(
      'ad',
      Readable.from([Buffer.from('no picture')]),
      100,
      ({ head }) => {
        throw new Error(`begins with ${head.toString().slice(0, 2)}`)
      },
    )
    await expect(refused).rejects.toThrow('begins with no')
    expect(await readdir(join(folder, 'incoming'))).toEqual([])
    expect(await readdir(folder)).not.toContain('ad')
  })

  test('removes what a process that died left of an upload, and no running upload', async () => {
    const store = createDiskStore(folder)
    const [old, young] = ['incoming-old', 'incoming-young'].map((name) =>
      join(folder, 'incoming', name),
    ) as [string, string]
    for (const path of [old, young]) await writeFile(path, 'half')
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    await utimes(old, yesterday, yesterday)
    await store.write('ae', Readable.from([Buffer.from('whole')]), 100)
    expect(await readdir(join(folder, 'incoming'))).toEqual(['incoming-young'])
    await rm(young)
  })

  test('reads the files that it wrote, and no file outside its folder', async () => {
    const store = createDiskStore(folder)
    const { key, sizeBytes } = await store.write('ef', Readable.from([Buffer.from('hello')]), 100)
    expect(sizeBytes).toBe(5)
    const read = await store.read(key)
    expect(Buffer.concat((await read?.toArray()) ?? []).toString()).toBe('hello')
    for (const outside of ['../secret', '/etc/passwd', `ef/${'0'.repeat(64)}`, 'ef/../../secret']) {
      expect(await store.read(outside)).toBeUndefined()
    }
    await expect(store.write('../up', Readable.from([]), 1)).rejects.toThrow('no folder')
  })
})
