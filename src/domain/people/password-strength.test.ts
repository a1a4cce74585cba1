import { describe, expect, test } from 'vitest'
import { findPasswordProblem, isTooShort } from './password-strength.ts'

const about = {
  email: 'grace.hopper@navy.example',
  name: 'Grace Brewster Hopper',
  school: { name: 'Harbor School of Sailing', origin: 'https://learn.harborside.example:8443' },
}

const problemOf = (password: string) => findPasswordProblem(password, about)

describe('findPasswordProblem', () => {
  test.each([
    'correct horse battery staple',
    'a much better password',
    'nine lanterns, one crow',
    '839201748372911',
    'grace likes marmalade pancakes',
    'the cat sat on the mat',
    'was it raining? were we poor?',
    'hello hello again, dear moss',
    'blau weiss rot gold 7',
    'mississippi steamboat',
    'banana bread for 3 llamas',
    '7 tired typewriters',
    'correct-horse-battery',
    'Tr0ub4dor&3-and-more',
    'qj7!Vd02kX#pLm91',
    '4829 0175 6631 9084',
    'нас утро встречает',
    'me gusta el cafe solo',
    'une tasse de thé vert',
    '数字よりも長い合言葉を選びました',
    'ünïcödé wörds äre fîne',
    'horse marmalade tuesday',
    '16.11.2026 was not a tuesday',
    'w8#k2!9$a7&4@g1',
  ])('takes %s', async (password) => {
    expect(await problemOf(password)).toBeUndefined()
  })

  test.each([
    ['1234567890', 'too_short'],
    ['fourteen chars', 'too_short'],
    // One character of two UTF-16 units each.
    ['🐢'.repeat(14), 'too_short'],
    ['x'.repeat(1025), 'too_long'],
    // Short as typed, but 18 characters each in the form that is hashed.
    ['\ufdfa'.repeat(340), 'too_long'],
    ['passwordpassword', 'common'],
    ['PassWordPassWordPass', 'common'],
    ['drowssapdrowssap', 'common'],
    ['password1234567', 'common'],
    ['2026!!password!!2026', 'common'],
    ['iloveyou!!!!!!!!!!!!', 'common'],
    ['ｐａｓｓｗｏｒｄ1234567', 'common'],
    ['iloveyouiloveyou!', 'common'],
    ['letmeinletmein12', 'common'],
    ['welcome-welcome-99', 'common'],
    ['p a s s w o r d 1 2', 'common'],
    ['1111111111111112', 'repeated'],
    ['abcabcabcabcabcd', 'repeated'],
    ['glimwort glimwort 7', 'repeated'],
    ['abcdefghijklmnop1', 'common'],
    ['qwertyuiopasdfgh', 'common'],
    ['hgfdsapoiuytrewq', 'common'],
    ['azertyuiopqsdfghj', 'common'],
    ['1q2w3e4r5t6y7u8i', 'common'],
    ['111222333444555', 'common'],
    ['1234567891011121', 'common'],
    ['123456789012345', 'common'],
    ['abcdefghijklmnop', 'common'],
    ['zyxwvutsrqponmlk', 'common'],
    ['qwertyuiop12345', 'common'],
    ['aaaaaaaaaaaaaaaaaaaa', 'repeated'],
    ['glimwort9!glimwort9!', 'repeated'],
    ['tiny unit, tiny unit, tiny', 'repeated'],
    ['passwordqwerty12', 'common'],
    ['Monkey-Dragon-99', 'common'],
    ['12ytrewqdrowssap', 'common'],
    ['summerlondon2026', 'common'],
    ['footballdragonmonkey', 'common'],
    ['2026-11-16-2026', 'common'],
    ['password16.11.1998', 'common'],
    ['04/07/1976 dragon', 'common'],
    ['gracehopper2026', 'personal'],
    ['Grace.Hopper@navy.example', 'personal'],
    ['Harbor-School-Sailing-1', 'personal'],
    ['harborside.example:8443', 'personal'],
    ['reppohecarg-123456789', 'personal'],
    ['graceharborpassword', 'personal'],
  ])('refuses %s as %s', async (password, problem) => {
    expect(await problemOf(password)).toBe(problem)
  })

  test('a person whose sign-in demands a second factor may have a shorter one, never a common one', async () => {
    expect(await findPasswordProblem('ninelanterns', about, 8)).toBeUndefined()
    expect(await findPasswordProblem('seven77', about, 8)).toBe('too_short')
    expect(await findPasswordProblem('password', about, 8)).toBe('common')
  })
})

test('the length of an older password is counted in characters, after normalising', () => {
  expect(isTooShort('schoolgate-demo')).toBe(false)
  expect(isTooShort('schoolgate-dem')).toBe(true)
  // e and a combining accent are one character.
  expect(isTooShort('e\u0301'.repeat(14))).toBe(true)
})
