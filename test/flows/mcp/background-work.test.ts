import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { finishJobs } from '../../support/jobs.ts'
import { aWorld } from '../../support/world.ts'
import { post, request, toolNames, useTool } from './tool-endpoint.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-work-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const world = await aWorld({ files: createDiskStore(folder) })
const school = await world.aSchool()

interface Told {
  readonly result: { readonly id: string; readonly state: string; readonly file_url: string | null }
}

const START = { action: 'exports.start', input: { resource: 'students' } }

verifies(
  'jobs.tool',
  'a tool starts an export, answers with its job, and tells when its file is there',
  async () => {
    const operator = await anOperator(world, school, { scopes: 'students:read' })
    const options = { token: operator.accessToken }
    const work = (given: object) => useTool<Told>(world, school, 'background_work', given, options)
    const { result } = await work(START)
    expect(result.state).toBe('waiting')
    await finishJobs(world)
    const { result: read } = await work({ action: 'jobs.read', input: { id: result.id } })
    expect(read.state).toBe('done')
    const file = await operator.get(new URL(read.file_url ?? '').pathname.slice('/api/v1'.length))
    expect(file.statusCode).toBe(200)
  },
)

test('the tool is hidden from callers who could export nothing, and refuses what a token lacks', async () => {
  const operator = await anOperator(world, school, { scopes: 'courses:read' })
  const none = await anOperator(world, school, { scopes: 'openid profile' })
  const token = operator.accessToken
  expect(await toolNames(world, school, { token })).toContain('background_work')
  expect(await toolNames(world, school, { token: none.accessToken })).not.toContain(
    'background_work',
  )
  expect(await toolNames(world, school)).not.toContain('background_work')
  const call = request('tools/call', { name: 'background_work', arguments: START })
  const lacking = await post(world, school, call, { token })
  expect(lacking.statusCode).toBe(403)
  expect(lacking.headers['www-authenticate']).toContain('students:read')
  const list = request('tools/call', {
    name: 'background_work',
    arguments: { action: 'jobs.list', input: {} },
  })
  expect((await post(world, school, list)).statusCode).toBe(401)
  expect((await post(world, school, list, { token: none.accessToken })).statusCode).toBe(403)
  expect(
    await school.db.from('jobs').select('id').where('user_id', '=', operator.person.id).execute(),
  ).toEqual([])
})
