import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Outcome } from '../../../domain/operation/operation.ts'
import { KEY_LEAD_SECONDS, listKeys } from '../../../domain/schools/signing.ts'
import {
  activateKey,
  publishKey,
  retireKey,
} from '../../../domain/schools/signing-key-operations.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { queryOf, withoutNul } from '../site-frame.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { keysPage } from '../views/admin/keys.tsx'
import { retireKeyPage } from '../views/admin/retire-key.tsx'
import { isNameTyped } from '../views/confirm-name.tsx'
import { adminFrame, loadOperator, performAs } from './operator.ts'

const NOTICES = {
  published: 'The key is published. You can activate it when every cache has it.',
  activated: 'The key signs ID tokens from now on.',
  retired: 'The key is retired.',
  'too-early': { warning: 'Not yet: apps may still use a cached key set without this key.' },
  'does-not-open': {
    warning: 'This server’s secret cannot decrypt the key. Publish a new one.',
  },
  unchanged: { warning: 'Nothing was changed: the key is no longer in that stage.' },
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

  const activate = activateKey(context.keyring)
  const publish = publishKey(context.keyring)

  app.post(`${paths.keys}/publish`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    checkedForm(context.keyring, request, operator)
    await performAs(request, operator, publish, {})
    return showAgain(request, reply, 'published')
  })

  app.post(`${paths.keys}/activate`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    const kid = checkedForm(context.keyring, request, operator).get('kid') ?? ''
    const outcome = await performAs(request, operator, activate, { kid })
    return showAgain(request, reply, noticeOf(outcome, 'activated'))
  })

  app.get(`${paths.keys}/retire`, async (request, reply) => {
    const operator = await loadOperator(request)
    const kid = withoutNul(queryOf(request).get('kid') ?? '')
    const keys = await listKeys(request.at)
    if (!keys.some((key) => key.kid === kid)) throw noKey()
    const frame = adminFrame(context, request, reply, operator)
    return sendPage(reply, request, 'site', retireKeyPage({ ...frame, kid, isWrongName: false }))
  })

  app.post(`${paths.keys}/retire`, async (request, reply) => {
    const operator = await loadOperator(request, paths.keys)
    const form = checkedForm(context.keyring, request, operator)
    const kid = withoutNul(form.get('kid') ?? '')
    if (!isNameTyped(form, kid)) {
      const frame = adminFrame(context, request, reply, operator)
      const page = retireKeyPage({ ...frame, kid, isWrongName: true })
      return sendPage(reply, request, 'site', page, 422)
    }
    const outcome = await performAs(request, operator, retireKey, { kid })
    return showAgain(request, reply, noticeOf(outcome, 'retired'))
  })

  /** Clears this process's cache of the school, so that the next page shows the changed keys. */
  const showAgain = (request: FastifyRequest, reply: FastifyReply, done: keyof typeof NOTICES) => {
    context.directory.forget(request.school.id)
    return redirectTo(reply, request, 'site', `${paths.keys}?done=${done}`)
  }
}

function noKey(): RequestRefusedError {
  return new RequestRefusedError(404, 'There is no such key at this school.')
}

function noticeOf<T>(outcome: Outcome<T>, done: 'activated' | 'retired'): keyof typeof NOTICES {
  if (outcome.kind === 'done') return done
  if (outcome.kind === 'not_found') {
    throw noKey()
  }
  const code = outcome.kind === 'conflict' ? outcome.code : outcome.kind
  if (code === 'too_early') return 'too-early'
  return code === 'does_not_open' ? 'does-not-open' : 'unchanged'
}
