import { describe, expect, test } from 'vitest'
import { createKeyedGate, GateFull } from './keyed-gate.ts'

/** Works that end when told to, and who has begun. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    work: (name: string) => async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    },
    end: (name: string) => ends.get(name)?.(),
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a keyed gate', () => {
  test('lets so many of one key in, and the others in the order they came', async () => {
    const gate = createKeyedGate({ inside: 2, waiting: 9 })
    const { begun, work, end } = works()
    const all = ['a', 'b', 'c', 'd'].map((name) => gate.pass('key', work(name)))
    await settle()
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await settle()
    expect(begun).toEqual(['a', 'b', 'c'])
    end('a')
    await settle()
    end('c')
    end('d')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('keeps nobody waiting for another key, and forgets a key that nobody uses', async () => {
    const gate = createKeyedGate({ inside: 1, waiting: 0 })
    const { begun, work, end } = works()
    const all = [gate.pass('one', work('a')), gate.pass('other', work('b'))]
    await settle()
    expect(begun).toEqual(['a', 'b'])
    expect(gate.size()).toBe(2)
    end('a')
    end('b')
    await Promise.all(all)
    expect(gate.size()).toBe(0)
  })

  test('refuses whom it has no room for, without beginning their work', async () => {
    const gate = createKeyedGate({ inside: 1, waiting: 1 })
    const { begun, work, end } = works()
    const all = [gate.pass('key', work('a')), gate.pass('key', work('b'))]
    await expect(gate.pass('key', work('c'))).rejects.toBeInstanceOf(GateFull)
    end('a')
    await settle()
    end('b')
    expect(await Promise.all(all)).toEqual(['a', 'b'])
    expect(begun).toEqual(['a', 'b'])
  })

  test('gives the turn on when a work fails', async () => {
    const gate = createKeyedGate({ inside: 1, waiting: 1 })
    const failing = gate.pass('key', () => Promise.reject(new Error('broken')))
    const next = gate.pass('key', async () => 'done')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
    expect(gate.size()).toBe(0)
  })
})
