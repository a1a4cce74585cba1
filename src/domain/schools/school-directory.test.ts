import { describe, expect, test } from 'vitest'
import { KnownOrigins } from './school-directory.ts'

/** Schools that record when their id is read. */
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
  test('does not touch other schools, however many are known', () => {
    const { looked, school } = schoolsThatNotice()
    const known = new KnownOrigins(1_000)
    for (let n = 0; n < 1_000; n++) known.set(`http://${n}.test`, { school: school(`${n}`) })
    looked.clear()
    for (const id of ['7', '8', 'unheard of']) known.forget(id)
    expect([...looked].filter((id) => id !== '7' && id !== '8')).toEqual([])
    expect(known.get('http://7.test')).toBeUndefined()
    expect(known.get('http://9.test')).toBeDefined()
  })

  test('forgets each of its origins, and all origins without a school', () => {
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

  test('keeps an origin that belongs to another school now', () => {
    const known = new KnownOrigins(10)
    const origin = 'http://one.test'
    for (const entry of [NONE, aSchool('first'), aSchool('second')]) known.set(origin, entry)
    known.forget('first')
    expect(known.get(origin)).toEqual(aSchool('second'))
    known.forget('second')
    expect(known.get(origin)).toBeUndefined()
  })
})

test('removes the oldest entry when it is full, and forgets its school', () => {
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

test('a change notice after everything was cleared removes no newer entry', () => {
  const known = new KnownOrigins(2)
  known.set('http://a.test', aSchool('a'))
  known.clear()
  expect(known.get('http://a.test')).toBeUndefined()
  known.set('http://a.test', aSchool('b'))
  known.forget('a')
  expect(known.get('http://a.test')).toEqual(aSchool('b'))
})

describe('a forgotten origin', () => {
  test('keeps the id of its school, also when all are forgotten, but not without end', () => {
    const known = new KnownOrigins(10)
    known.set('http://a.test', aSchool('a'))
    known.set('http://b.test', aSchool('b'))
    known.set('http://made-up.test', NONE)
    known.forget('a')
    known.clear()
    expect(known.get('http://b.test')).toBeUndefined()
    const idsOf = (...names: string[]) =>
      names.map((name) => known.latestSchoolId(`http://${name}.test`))
    expect(idsOf('a', 'b', 'made-up')).toEqual(['a', 'b', undefined])
    for (let n = 0; n < 10; n++) known.set(`http://${n}.test`, aSchool(`${n}`))
    known.clear()
    expect(idsOf('a', 'b', '0')).toEqual([undefined, undefined, '0'])
  })
})
