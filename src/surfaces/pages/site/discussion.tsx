import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOperator, type Role } from '../../../domain/actor/actor.ts'
import {
  judgeComment,
  MOST_COMMENTS,
  moderate,
  openForMember,
  type Participant,
  participantIn,
  readComments,
  readThread,
  type Thread,
  takeBack,
  writeComment,
} from '../../../domain/learning/discussion.ts'
import type { LectureOfViewer } from '../../../domain/learning/open-lecture.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { countAct } from '../../../domain/people/sign-in-counters.ts'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import { parseKey } from '../../../foundation/db/keyset.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, withoutNul } from '../frame/layout.tsx'
import { memberActor } from '../frame/own-places.ts'
import { lecturePath, threadPath } from '../frame/paths.ts'
import { type SignedInVisit, signedInVisit, type Visit } from '../frame/visit.ts'
import { waitInWords } from '../frame/words.ts'
import { checkFactor, isFactorEnough } from '../sign-in/factor-needed.tsx'
import {
  answerPath,
  type CommentDraft,
  type Discussion,
  discussionPage,
  pathTo,
} from './discussion-view.tsx'

const PATH = '/courses/:slug/lectures/:id/comments'

export const DISCUSSION_NOTICES = {
  'taken-back': 'Your comment was taken back.',
  'not-yours': {
    warning: 'Nothing was taken back: this comment is no longer there, or not yours.',
  },
}
const NOTICES = {
  written: 'Your comment is here.',
  answered: 'Your answer is here.',
  hide: 'The comment is hidden from members.',
  show: 'Members see the comment again.',
}

/** The member who asks, with the roles that this session may act in. */
function readerOf({ request, session }: Visit) {
  if (session === undefined || session.roles.length === 0) return undefined
  const { roles, person } = session
  const isOnlyMember = isOperator(roles) && !isFactorEnough(request, session)
  return { userId: person.id, roles: isOnlyMember ? roles.filter(isOfMember) : roles }
}

const isOfMember = (role: Role) => !isOperator([role])

export function placeOf(request: FastifyRequest) {
  const { slug, id } = request.params as { slug: string; id: string }
  return { slug: withoutNul(slug), lectureId: id }
}

/** The lecture as the member of this visit sees it; undefined for other visitors. */
export async function openAsMember(visit: Visit, outlines: OutlineCache) {
  const reader = readerOf(visit)
  return reader && (await openForMember(visit.db, outlines, reader, placeOf(visit.request)))
}

/** Undefined for a person who does not take part, and where the course allows no comments. */
export async function discussionFor(
  visit: Visit,
  opened: LectureOfViewer,
): Promise<Discussion | undefined> {
  const reader = readerOf(visit)
  const who = reader && (await participantIn(visit.db, opened, reader))
  if (who === undefined) return undefined
  const after = parseKey(who.lectureId, queryOf(visit.request).get('after') ?? '')
  const page = await readComments(visit.db, who, after)
  const { lectureId, isStaff } = who
  return { ...page, lectureId, isStaff, isFirst: after === undefined, newId: uuidv7() }
}

interface Taking {
  readonly visit: SignedInVisit
  readonly opened: LectureOfViewer
  readonly who: Participant
}

/** What members write below a lecture. */
export function addDiscussionRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<Taking> {
    const { slug, lectureId } = placeOf(request)
    const isPost = request.method === 'POST'
    const back = isPost ? lecturePath(slug, lectureId) : undefined
    const visit = await signedInVisit(context, request, reply, back)
    if (isPost) visit.form()
    const opened = await openAsMember(visit, outlines)
    const reader = readerOf(visit)
    if (opened === undefined || reader === undefined) throw new RequestRefusedError(404, NO_LECTURE)
    const who = await participantIn(visit.db, opened, reader)
    if (who === undefined) throw new RequestRefusedError(403, CLOSED)
    return { visit, opened, who }
  }

  app.get(`${PATH}/:comment`, async (request, reply) => {
    const taking = await enter(request, reply)
    const query = queryOf(request)
    const [comment, answer] = [commentOf(request), query.get('answer') ?? '']
    const after = parseKey(comment, query.get('after') ?? '')
    const thread = await readThread(taking.visit.db, taking.who, comment, {
      after,
      answer: isUuid(answer) ? answer : undefined,
    })
    if (thread === undefined) throw new RequestRefusedError(404, NO_COMMENT)
    return show(taking, { thread, form: { newId: uuidv7() } })
  })

  app.post(PATH, async (request, reply) => {
    const taking = await enter(request, reply)
    const { visit, opened, who } = taking
    const form = visit.form()
    const [id, answers, typed] = [
      form.get('comment') ?? '',
      form.get('answers'),
      form.get('words') ?? '',
    ]
    if (!isUuid(id) || (answers !== null && !isUuid(answers))) {
      throw new RequestRefusedError(400, 'The form does not say where the comment belongs.')
    }
    /** With what was typed, and why it was not written. */
    const again = async (problem: string, status: number, answered = answers) => {
      const thread = answered === null ? undefined : await readThread(visit.db, who, answered)
      return show(taking, { thread, form: { newId: id, typed, problem } }, status)
    }
    const judged = judgeComment(typed)
    if ('problem' in judged) return await again(judged.problem, 422)
    const throttleKey = context.keyring.key('sign-in-throttle')
    const most = { kind: 'comment', userId: who.userId, most: MOST_COMMENTS }
    const wait = await countAct(visit.db, throttleKey, most)
    if (wait > 0) {
      reply.header('retry-after', wait)
      const problem = `You have written many comments. Send this one in ${waitInWords(wait)}.`
      return await again(problem, 429)
    }
    const here = pathTo(opened)
    const comment = { id, body: judged.body, answers: answers ?? undefined }
    const pathOf = (thread: string, answer: string) => answerPath(here, thread, answer)
    const outcome = await writeComment(visit.db, outlines, opened, who, comment, pathOf)
    if (outcome.kind === 'closed') throw new RequestRefusedError(403, CLOSED)
    if (outcome.kind === 'unanswerable') {
      const problem = 'That comment can no longer be answered. You can send this one by itself.'
      return await again(problem, 409, null)
    }
    const { thread } = outcome
    return visit.goTo(
      thread === id
        ? `${threadPath(here, id)}?done=written`
        : answerPath(here, thread, id, '&done=answered'),
    )
  })

  app.post(`${PATH}/:comment/take-back`, async (request, reply) => {
    const { visit, opened, who } = await enter(request, reply)
    const isDone = await takeBack(visit.db, who, commentOf(request))
    return visit.goTo(`${pathTo(opened)}?done=${isDone ? 'taken-back' : 'not-yours'}`)
  })

  for (const act of ['hide', 'show'] as const) {
    app.post(`${PATH}/:comment/${act}`, async (request, reply) => {
      const { visit, opened } = await enter(request, reply)
      if (isOperator(visit.session.roles)) checkFactor(request, visit.session)
      const comment = commentOf(request)
      if (!(await moderate(visit.db, opened, memberActor(visit), comment, act))) {
        throw new RequestRefusedError(
          403,
          'Only owners, admins and lecturers of the course do this.',
        )
      }
      const thread = visit.form().get('thread') ?? ''
      const place = isUuid(thread) ? threadPath(pathTo(opened), thread) : pathTo(opened)
      return visit.goTo(`${place}?done=${act}`)
    })
  }
}

const NO_LECTURE = 'This lecture does not exist, or it is no longer open to you.'
const CLOSED =
  'You cannot write or read comments here now. Open the lecture to see whether you still have the course.'
const NO_COMMENT = 'This comment was taken back or hidden. The others stand below the lecture.'

function commentOf(request: FastifyRequest): string {
  const { comment } = request.params as { comment: string }
  if (!isUuid(comment)) throw new RequestRefusedError(404, NO_COMMENT)
  return comment
}

function show(
  { visit, opened, who: { isStaff } }: Taking,
  shown: { readonly thread: Thread | undefined; readonly form: CommentDraft },
  status = 200,
): FastifyReply {
  const page = discussionPage({
    ...visit.frame(NOTICES),
    ...shown,
    opened,
    isStaff,
    timeZone: visit.request.school.timeZone,
  })
  return visit.page(page, status)
}
