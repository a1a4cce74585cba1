import { expect, test } from 'vitest'
import { slugOf } from './site-link.ts'

test('an address is made from the letters and digits of a title', () => {
  expect(slugOf('Water colour, from the 1st line!')).toBe('water-colour-from-the-1st-line')
  expect(slugOf('  Été à Orléans ')).toBe('ete-a-orleans')
  expect(slugOf(`${'long '.repeat(30)}`)).toMatch(/^[a-z-]{70,80}$/)
  expect(slugOf(`${'x'.repeat(79)} y`)).toBe('x'.repeat(79))
  expect(slugOf('<script>')).toBe('script')
  expect(slugOf('水彩')).toBe('')
})
