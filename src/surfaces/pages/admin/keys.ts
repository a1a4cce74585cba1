import type { FastifyInstance } from 'fastify'
import {
  activateKey,
  KEY_LEAD_SECONDS,
  listKeys,
  publishKey,
  retireKey,
} from '../../../domain/schools/signing-keys.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, sendOn, sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { keysPage } from '../views/admin/keys.tsx'
import { adminFrame, loadOperator, operatorActor } from './operator.ts'

const NOTICES = {
  published: 'The key is published. It can sign once every cache has it.',
  activated: 'The key signs ID tokens from now on.',
  retired: 'The key is retired.',
  'too-early': { warning: 'Not yet: a cached key set may still lack this key.' },
  'does-not-open': { warning: 'This server’s secret does not open the key. Publish a new one.' },
  unchanged: { warning: 'Nothing was changed: the key is in another stage by now.' },
}

export function addKeyRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.keys, async (request, reply) => {
    const operator = await loadOperator(request)
    const page = keysPage({
      ...adminFrame(context, request, reply, operator, NOTICES),
      keys: await listKeys(request.at),
      leadHours: KEY_LEAD_SECONDS / 3600,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(`${paths.keys}/publish`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    checkedForm(context.keyring, request, operator)
    const by = operatorActor(request, operator)
    await request.at.transaction((tx) => publishKey(tx, context.keyring, by))
    context.directory.forget(request.school.id)
    return sendOn(reply, request, 'site', `${paths.keys}?done=published`)
  })

  app.post(`${paths.keys}/activate`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    const kid = checkedForm(context.keyring, request, operator).get('kid') ?? ''
    const by = operatorActor(request, operator)
    const outcome = await request.at.transaction((tx) =>
      activateKey(tx, context.keyring, kid, { force: false }, by),
    )
    context.directory.forget(request.school.id)
    const done = {
      activated: 'activated',
      too_early: 'too-early',
      does_not_open: 'does-not-open',
      not_published: 'unchanged',
      unknown: undefined,
    }[outcome.kind]
    if (done === undefined) throw noSuchKey()
    return sendOn(reply, request, 'site', `${paths.keys}?done=${done}`)
  })

  app.post(`${paths.keys}/retire`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    const kid = checkedForm(context.keyring, request, operator).get('kid') ?? ''
    const by = operatorActor(request, operator)
    const outcome = await request.at.transaction((tx) => retireKey(tx, kid, { force: false }, by))
    context.directory.forget(request.school.id)
    if (outcome.kind === 'unknown') throw noSuchKey()
    const done = outcome.kind === 'retired' ? 'retired' : 'unchanged'
    return sendOn(reply, request, 'site', `${paths.keys}?done=${done}`)
  })
}

function noSuchKey(): RequestRefusedError {
  return new RequestRefusedError(404, 'There is no such key at this school.')
}
