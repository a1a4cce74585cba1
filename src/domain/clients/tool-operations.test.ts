import { expect, test } from 'vitest'
import { isToolAddress, toolAddress } from './tool-operations.ts'

const ORIGIN = 'https://north.example'

test('the address of a tool is below its origin', () => {
  expect(toolAddress(ORIGIN, 'reports')).toBe('https://north.example/clients/reports.json')
})

test('an address is recognised in every spelling that reaches the same path', () => {
  for (const spelling of [
    'https://north.example/clients/reports.json',
    'https://north.example/clients/',
    'https://north.example/clients/a/b',
    'HTTPS://North.Example:443/clients/reports.json',
    'https://north.example/x/../clients/reports.json',
    'https://north.example/%63lients/reports.json',
    'https://north.example/clients%2Freports.json',
    'https://user@north.example/clients/reports.json?a=b#c',
  ]) {
    expect(isToolAddress(ORIGIN, spelling), spelling).toBe(true)
  }
})

test('other origins, other paths and other texts are not', () => {
  for (const other of [
    'https://south.example/clients/reports.json',
    'http://north.example/clients/reports.json',
    'https://north.example:8443/clients/reports.json',
    'https://north.example/clients',
    'https://north.example/files/clients/reports.json',
    'https://north.example/%E0%A4%A/clients/',
    'reports',
    '',
  ]) {
    expect(isToolAddress(ORIGIN, other), other).toBe(false)
  }
})
