import { expect, test } from 'vitest'
import { type LineSettings, RequestLine } from './request-line.ts'

/**
 * An event loop whose turns and clock the test moves. Each request takes 4 ms when it begins, and a
 * turn begins them for 5 ms. Capital letters are callers with a credential.
 */
function aLoop(settings: Partial<LineSettings> = {}) {
  let now = 0
  let ends: (() => void)[] = []
  const pauses: (() => void)[] = []
  let said: string[] = []
  const line = new RequestLine({
    turnMs: 5,
    waitMs: 20,
    now: () => now,
    atTurnEnd: (end) => void ends.push(end),
    afterPause: (end) => void pauses.push(end),
    ...settings,
  })
  return {
    /**
     * Requests arrive, each as the letter of its school; returns what began or was refused by the
     * end of the turn.
     */
    turn(arriving: string): string {
      for (const school of arriving) {
        const begin = (): void => {
          now += 4
          said.push(school)
        }
        const entrant = {
          school: school.toLowerCase(),
          isStranger: school === school.toLowerCase(),
        }
        line.enter(entrant, begin, () => said.push(`-${school}`))
      }
      const [due, heard] = [ends, said]
      ends = []
      said = []
      for (const end of due) end()
      return heard.join('')
    },
    /** After a pause in which the event loop rested; returns whether there was one. */
    rest(): boolean {
      const due = pauses.splice(0)
      for (const end of due) end()
      return due.length > 0
    },
    wait(ms: number): void {
      now += ms
    },
  }
}

test('requests begin at once while a turn has time', () => {
  const { turn } = aLoop()
  for (let n = 0; n < 5; n++) expect(turn('aa')).toBe('aa')
})

test('further ones wait for the next turns, in their order', () => {
  const { turn } = aLoop()
  expect(turn('abcde')).toBe('ab')
  expect(turn('f')).toBe('cd')
  expect(turn('')).toBe('ef')
  expect(turn('gh')).toBe('gh')
})

test('schools take turns, so the flood of one delays another by one request', () => {
  const { turn } = aLoop()
  expect(turn('aaaaaaaaab')).toBe('aa')
  expect(turn('b')).toBe('ab')
  expect(turn('')).toBe('ab')
  expect(turn('')).toBe('aa')
})

test('a request that has waited too long is refused, and costs no time of the turn', () => {
  const { turn, wait } = aLoop()
  expect(turn('abbcc')).toBe('ab')
  wait(30)
  expect(turn('')).toBe('bc')
  expect(turn('')).toBe('-c')
})

test('a full line refuses at once, and only requests of its school', () => {
  const { turn } = aLoop({ waiting: 2 })
  expect(turn('aaaaaab')).toBe('aa-a-a')
})

test('after a flood, requests begin at once again', () => {
  const { turn, wait } = aLoop()
  turn('aaaaaaaaaa')
  wait(100)
  turn('')
  turn('')
  expect(turn('aa')).toBe('aa')
})

test('a turn begins fewer requests if the last ones took long after they began', () => {
  const { turn, wait } = aLoop({ turnMs: 20, waitMs: 10_000 })
  expect(turn('a'.repeat(200))).toHaveLength(6)
  for (let n = 0; n < 40; n++) {
    // Work for requests that have begun.
    wait(20)
    turn('aaa')
  }
  wait(20)
  expect(turn('')).toBe('a')
})

test('requests wait while the connections of their school are crowded, and those of others do not', () => {
  const crowded = new Set('a')
  const { turn, rest } = aLoop({ isCrowded: ({ school }) => crowded.has(school) })
  expect(turn('aab')).toBe('')
  expect(turn('')).toBe('b')
  expect(turn('')).toBe('')
  expect(rest()).toBe(true)
  crowded.clear()
  expect(rest()).toBe(true)
  expect(turn('')).toBe('aa')
  expect(rest()).toBe(false)
})

test('strangers who crowd a school do not hold up callers with a credential', () => {
  const { turn } = aLoop({ isCrowded: ({ isStranger }) => isStranger })
  expect(turn('aaA')).toBe('')
  expect(turn('')).toBe('A')
})

test('a request that has waited too long is refused, however crowded its school is', () => {
  const { turn, rest, wait } = aLoop({ isCrowded: () => true })
  turn('a')
  wait(30)
  rest()
  expect(turn('')).toBe('-a')
  expect(rest()).toBe(false)
})

test('a request that throws does not stop the others', () => {
  const ends: (() => void)[] = []
  const begun: number[] = []
  const line = new RequestLine({ turnMs: 0, atTurnEnd: (end) => void ends.push(end) })
  const school = { school: 'a', isStranger: true }
  for (let n = 0; n < 3; n++) {
    const begin = (): void => {
      begun.push(n)
      if (n === 1) throw new Error('broken')
    }
    line.enter(school, begin, () => undefined)
  }
  expect(() => ends.shift()?.()).toThrow('broken')
  ends.shift()?.()
  expect(begun).toEqual([0, 1, 2])
})
