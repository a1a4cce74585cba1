import { expect, test } from 'vitest'
import { RequestLine } from './request-line.ts'

/** An event loop whose turns and clock the test moves. Each request takes 4 ms, and a turn begins them for 5 ms. */
function aLoop(settings: { readonly waiting?: number } = {}) {
  let now = 0
  let ends: (() => void)[] = []
  let said: string[] = []
  const line = new RequestLine({
    turnMs: 5,
    waitMs: 20,
    now: () => now,
    atTurnEnd: (end) => void ends.push(end),
    ...settings,
  })
  return {
    /** Requests arrive, each as the letter of its school; returns what began or was refused by the end of the turn. */
    turn(arriving: string): string {
      for (const school of arriving) {
        const begin = (): void => {
          now += 4
          said.push(school)
        }
        line.enter(school, begin, () => said.push(`-${school}`))
      }
      const [due, heard] = [ends, said]
      ends = []
      said = []
      for (const end of due) end()
      return heard.join('')
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
