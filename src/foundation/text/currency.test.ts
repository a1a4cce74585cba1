import { expect, test } from 'vitest'
import { currencyOf } from './currency.ts'

test.each([
  ['USD', 2, 4900, '$49.00'],
  ['JPY', 0, 4900, '¥4,900'],
  ['TWD', 2, 120_000, 'NT$1,200'],
  ['TWD', 2, 120_050, 'NT$1,200.50'],
  ['USD', 2, -4900, '−$49.00'],
  ['KWD', 3, 4900, 'KWD 4.900'],
])('an amount of %s has %i digits in its minor unit', (code, digits, amount, written) => {
  expect(currencyOf(code).digits).toBe(digits)
  expect(currencyOf(code).format(amount).replace('\u00a0', ' ')).toBe(written)
})
