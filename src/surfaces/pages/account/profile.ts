import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pictureUrl } from '../../../domain/people/person.ts'
import {
  changeName,
  MOST_PICTURE_BYTES,
  readName,
  removePicture,
  setPicture,
} from '../../../domain/people/profile.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { cleanPicture } from '../../../foundation/pictures/clean-picture.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { type ProfileProblem, profilePage } from '../views/profile.tsx'
import { readPictureForm } from './picture-form.ts'
import { addPictureRoute } from './pictures.ts'

const PATH = '/account/profile'

const NOTICES = {
  name: 'Your name was changed, at all your schools.',
  picture: 'Your picture was changed, at all your schools.',
  'no-picture': 'Your picture was removed.',
}

export function addProfileRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    return show(context, request, reply, session)
  })

  app.post(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    const typed = form.get('name') ?? ''
    const read = readName(typed)
    if ('problem' in read) {
      const problem = { kind: 'name', typed, detail: read.problem } as const
      return show(context, request, reply, session, problem, 400)
    }
    await request.at.transaction((tx) => changeName(tx, session.person.id, read.name, request.id))
    return redirectTo(reply, request, 'site', `${PATH}?done=name`)
  })

  if (files === undefined) return
  addPictureRoute(app, files)
  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(`${PATH}/picture`, async (request, reply) => {
      const session = await loadBrowserSession(request, PATH)
      const sent = await readPictureForm(context.keyring, request, session, MOST_PICTURE_BYTES)
      if (sent === 'remove') {
        await removePicture(request.at, session.person.id, request.id)
        return redirectTo(reply, request, 'site', `${PATH}?done=no-picture`)
      }
      const problem =
        typeof sent === 'string' ? sent : await keep(files, request, session.person.id, sent)
      if (problem === undefined) return redirectTo(reply, request, 'site', `${PATH}?done=picture`)
      const status = problem === 'too_many' ? 429 : 422
      return show(context, request, reply, session, { kind: 'picture', problem }, status)
    })
  })
}

async function keep(files: FileStore, request: FastifyRequest, userId: string, bytes: Buffer) {
  const picture = cleanPicture(bytes)
  if (typeof picture === 'string') return picture
  const isSet = await setPicture(request.at, files, userId, picture, request.id)
  return isSet ? undefined : 'too_many'
}

function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  problem?: ProfileProblem,
  status = 200,
): FastifyReply {
  const { person } = session
  const page = profilePage({
    ...frameFor(context, request, reply, session, NOTICES),
    person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
    storesPictures: context.files !== undefined,
    problem,
  })
  return sendPage(reply, request, 'site', page, status)
}
