import { describe, expect, test } from 'vitest'
import { KnownOrigins } from './known-origins.ts'

/** Schools that tell when they are looked up. */
function schoolsThatNotice() {
  const looked = new Set<string>()
  const school = (name: string) => ({
    get id() {
      looked.add(name)
      return name
    },
  })
  return { looked, school }
}

const aSchool = (id: string) => ({ school: { id } })
const NONE = { school: undefined }

describe('forgetting a school', () => {
  test('looks at no other one, however many are known', () => {
    const { looked, school } = schoolsThatNotice()
    const known = new KnownOrigins(1_000)
    for (let n = 0; n < 1_000; n++) known.set(`http://${n}.test`, { school: school(`${n}`) })
    looked.clear()
    for (const id of ['7', '8', 'unheard of']) known.forget(id)
    expect([...looked].filter((id) => id !== '7' && id !== '8')).toEqual([])
    expect(known.get('http://7.test')).toBeUndefined()
    expect(known.get('http://9.test')).toBeDefined()
  })

  test('forgets each of its origins, and all that had no school', () => {
    const known = new KnownOrigins(10)
    known.set('http://before.test', aSchool('moved'))
    known.set('http://after.test', aSchool('moved'))
    known.set('http://nobody.test', NONE)
    known.set('http://other.test', aSchool('other'))
    known.forget('moved')
    const left = ['before', 'after', 'nobody', 'other'].filter((name) =>
      known.get(`http://${name}.test`),
    )
    expect(left).toEqual(['other'])
  })

  test('leaves an origin alone that belongs to another school by now', () => {
    const known = new KnownOrigins(10)
    const origin = 'http://one.test'
    for (const entry of [NONE, aSchool('first'), aSchool('second')]) known.set(origin, entry)
    known.forget('first')
    expect(known.get(origin)).toEqual(aSchool('second'))
    known.forget('second')
    expect(known.get(origin)).toBeUndefined()
  })
})

test('the entry that was set longest ago makes room, and its school does not come back', () => {
  const known = new KnownOrigins(2)
  known.set('http://a.test', aSchool('a'))
  known.set('http://b.test', aSchool('b'))
  known.set('http://a.test', aSchool('a'))
  known.set('http://c.test', aSchool('c'))
  expect(known.get('http://b.test')).toBeUndefined()
  expect(known.get('http://a.test')).toEqual(aSchool('a'))
  known.set('http://b.test', aSchool('a'))
  known.forget('b')
  expect(known.get('http://b.test')).toEqual(aSchool('a'))
})

test('once everything is forgotten, nothing of it is left for later notices', () => {
  const known = new KnownOrigins(2)
  known.set('http://a.test', aSchool('a'))
  known.clear()
  expect(known.get('http://a.test')).toBeUndefined()
  known.set('http://a.test', aSchool('b'))
  known.forget('a')
  expect(known.get('http://a.test')).toEqual(aSchool('b'))
})
