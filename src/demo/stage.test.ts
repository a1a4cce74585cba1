import { expect, test } from 'vitest'
import { demoDigits, demoId } from './stage.ts'

test('an id is a version 8 uuid of the RFC 9562 variant, whatever the name', () => {
  for (let i = 0; i < 200; i++) {
    expect(demoId(`name ${i}`)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  }
})

test('ids stay what they are: documents quote them', () => {
  expect(demoId('school/demo')).toBe(demoId('school/demo'))
  expect(demoId('school/demo')).not.toBe(demoId('school/harbor'))
})

test('digits keep their leading zeros', () => {
  for (let i = 0; i < 200; i++) expect(demoDigits(`name ${i}`, 3)).toMatch(/^\d{3}$/)
})
