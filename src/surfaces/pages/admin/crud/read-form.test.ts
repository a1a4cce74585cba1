import { describe, expect, test } from 'vitest'
import { toMajorUnits, toMinorUnits } from './read-form.ts'

describe('an amount', () => {
  test('is typed in the unit that people pay with', () => {
    expect(toMinorUnits('49', 'USD')).toBe(4900)
    expect(toMinorUnits('49.5', 'USD')).toBe(4950)
    expect(toMinorUnits(' 1,234.50 ', 'USD')).toBe(123450)
    expect(toMinorUnits('49,50', 'EUR')).toBe(4950)
    expect(toMinorUnits('1 234', 'EUR')).toBe(123400)
    expect(toMinorUnits('4900', 'JPY')).toBe(4900)
    expect(toMinorUnits('1.234', 'KWD')).toBe(1234)
  })

  test('is refused if it has too many decimals for the currency, or is not a number', () => {
    for (const typed of ['', 'free', '-1', '1.999', '0x10', '1e3', '1.2.3']) {
      expect(toMinorUnits(typed, 'USD'), typed).toBeUndefined()
    }
    expect(toMinorUnits('1.5', 'JPY')).toBeUndefined()
  })

  test('is shown with as many digits as the currency has', () => {
    expect(toMajorUnits(4900, 'USD')).toBe('49.00')
    expect(toMajorUnits(4900, 'JPY')).toBe('4900')
    expect(toMajorUnits(1234, 'KWD')).toBe('1.234')
    expect(toMajorUnits(4900, 'no currency')).toBe('49.00')
  })

  test('stays the same when it is shown and typed again', () => {
    for (const amount of [0, 1, 99, 100, 123_456_789_012]) {
      expect(toMinorUnits(toMajorUnits(amount, 'USD'), 'USD')).toBe(amount)
    }
  })
})
