import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Outcome } from '../../../domain/operation/operation.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { SchoolChanges } from '../../../domain/schools/school-details.ts'
import { changeSettings } from '../../../domain/schools/school-operations.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { versionsOf } from '../views/admin/both-versions.tsx'
import { settingsPage, VIDEO_FIELDS, type VideoSettings } from '../views/admin/settings.tsx'
import { changesIn, shownField } from './changes-in-form.ts'
import { addFactorDemandRoutes, demandOf } from './factor-demand.ts'
import { adminFrame, loadOperator, performAs } from './operator.ts'

const NOTICES = {
  'mcp-on':
    'MCP connections is on. You find OAuth applications, assistants and operator tools under Developers.',
  'mcp-off':
    'MCP connections is off. Existing applications and tools continue to work; you find them under Apps and assistants.',
  'sign-up-on': 'Sign-up is on. People find “Make an account” on the sign-in page.',
  'sign-up-off': 'Sign-up is off. Links that are still in mailboxes no longer work.',
  'invitations-on': 'People whom you add from now on get an invitation by mail.',
  'invitations-off': 'People whom you add get no mail. You can invite each of them on their page.',
  saved: 'Saved.',
  'demand-refused': {
    warning: 'Nothing was changed: only an owner with a passkey or a second factor can demand one.',
  },
}

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  addFactorDemandRoutes(app, context)

  app.get(paths.settings, async (request, reply) => {
    const operator = await loadOperator(request)
    return await show(context, request, reply, operator)
  })

  app.post(`${paths.settings}/videos`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const hosts = form.get('video_hosts') ?? ''
    const video_hosts = [...new Set(hosts.split('\n').flatMap((line) => line.trim() || []))]
    const typed = { video_hosts }
    const stored = videosOf(request)
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { hosts, hidden: shownField(shown) }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, VIDEO_FIELDS, typed, stored)
      const videos = { ...again, problems: [], overwrites }
      return await show(context, request, reply, operator, videos, 409)
    }
    const outcome = await saveSettings(context, request, operator, changes)
    if (outcome.kind === 'invalid') {
      const problems = outcome.problems.map(({ detail }) => detail)
      return await show(context, request, reply, operator, { ...again, problems }, 400)
    }
    return redirectTo(reply, request, 'site', `${paths.settings}?done=saved`)
  })

  app.post(`${paths.settings}/beta`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const on = form.get('mcp_connections') === 'on'
    await saveSettings(context, request, operator, { mcp_connections: on })
    const done = on ? 'mcp-on' : 'mcp-off'
    return redirectTo(reply, request, 'site', `${paths.settings}?done=${done}`)
  })

  app.post(`${paths.settings}/sign-up`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const on = form.get('sign_up') === 'on'
    await saveSettings(context, request, operator, { sign_up: on })
    const done = on ? 'sign-up-on' : 'sign-up-off'
    return redirectTo(reply, request, 'site', `${paths.settings}?done=${done}`)
  })

  app.post(`${paths.settings}/invitations`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const on = form.get('invites_people') === 'on'
    await saveSettings(context, request, operator, { invites_people: on })
    const done = on ? 'invitations-on' : 'invitations-off'
    return redirectTo(reply, request, 'site', `${paths.settings}?done=${done}`)
  })

  app.post(`${paths.settings}/security`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const on = form.get('end_authorization_on_replay') === 'on'
    await saveSettings(context, request, operator, { end_authorization_on_replay: on })
    return redirectTo(reply, request, 'site', `${paths.settings}?done=saved`)
  })
}

/** The hosts of videos as they are saved now. */
function videosOf({ school }: FastifyRequest) {
  return { video_hosts: school.videoHosts }
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  videos: VideoSettings = {
    hosts: request.school.videoHosts.join('\n'),
    problems: [],
    hidden: shownField(videosOf(request)),
  },
  status = 200,
): Promise<FastifyReply> {
  const { mcpConnections, endAuthorizationOnReplay, signUp, invitesPeople } = request.school
  const page = settingsPage({
    ...adminFrame(context, request, reply, operator, NOTICES),
    mcpConnections,
    endAuthorizationOnReplay,
    demand: await demandOf(request, operator),
    signUp,
    invitesPeople,
    mailIsSent: context.mailer !== undefined,
    videos,
  })
  return sendPage(reply, request, 'site', page, status)
}

/** Saves, and clears this process's cache of the school, so that the next page shows the change. */
export async function saveSettings(
  context: AppContext,
  request: FastifyRequest,
  operator: BrowserSession,
  changes: SchoolChanges,
): Promise<Outcome> {
  const outcome = await performAs(request, operator, changeSettings, changes)
  context.directory.forget(request.school.id)
  return outcome
}
