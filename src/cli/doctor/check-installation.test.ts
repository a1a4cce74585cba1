import { expect, test } from 'vitest'
import {
  checkFiles,
  checkNode,
  NODE_ENDS,
  RECOMMENDED_NODE,
  TESTED_NODES,
} from './check-installation.ts'

const at = (version: string, day: string) => checkNode(version, new Date(`${day}T12:00:00Z`))

test('a Node past its end is a note that names the day and the version to install', () => {
  expect(at('20.19.0', '2026-04-30').status).toBe('ok')
  expect(at('20.19.0', '2026-05-01')).toEqual({
    check: 'node',
    status: 'note',
    message: 'Node 20.19.0 gets no security fixes any more, since 2026-04-30.',
    remedy: 'install Node 24',
  })
  expect(at('18.20.8', '2026-05-01')).toMatchObject({
    status: 'note',
    message: 'Node 18.20.8 gets no security fixes any more.',
  })
})

test('a Node that is still maintained is fine, with its last day', () => {
  expect(at('24.21.0', '2026-11-17')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('2028-04-30'),
  })
})

test('a Node on which nothing was tested is a note', () => {
  for (const version of ['26.1.0', '30.0.0']) {
    expect(at(version, '2026-11-17')).toMatchObject({
      status: 'note',
      message: expect.stringContaining('not tested'),
    })
  }
})

test('the end of every tested version is known, and the recommended one is tested', () => {
  for (const major of TESTED_NODES) expect(NODE_ENDS[major]).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(TESTED_NODES).toContain(RECOMMENDED_NODE)
})

test('a limit of open files that is too low for a server is broken', () => {
  expect(checkFiles(256)).toMatchObject([
    { status: 'broken', message: expect.stringContaining('256 files') },
  ])
  expect(checkFiles(1024)).toEqual([])
  expect(checkFiles(undefined)).toEqual([])
})
