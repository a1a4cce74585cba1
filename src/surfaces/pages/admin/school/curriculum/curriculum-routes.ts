import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  readCurriculum,
  reorderCurriculum,
} from '../../../../../domain/learning/section-operations.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendOn, sendPage } from '../../../page-request.ts'
import { afterWrite, type Row, rowsOf, textOf } from '../resource.ts'
import { courses } from '../resources/courses.tsx'
import { curriculumPath } from '../resources/curriculum.tsx'
import { enter, loadNamed, type Visit } from '../routes/visit.ts'
import { curriculumPage } from '../views/curriculum-page.tsx'
import { moved, type OutlineSection } from './move.ts'

const ROUTE = '/admin/courses/:id/curriculum'

const NOTICES = {
  created: 'Added at the end.',
  saved: 'Saved.',
  delete: 'It is gone.',
  moved: 'Moved.',
}

/** Sections and lectures in the order that students see, and buttons that move them. */
export function addCurriculumRoutes(app: FastifyInstance, context: AppContext): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    { course, problem }: { course: Row; problem?: string },
  ) => {
    const curriculum = await visit.ask(readCurriculum, { id: course.id })
    const page = curriculumPage({
      ...visit.frame(NOTICES),
      course,
      curriculum,
      problem,
      path: curriculumPath(textOf(course, 'id')),
      place: visit.place,
    })
    return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 409)
  }

  app.get(ROUTE, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const course = await loadNamed(request, visit, courses)
    return await show(request, reply, visit, { course })
  })

  app.post(ROUTE, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const course = await loadNamed(request, visit, courses)
    const curriculum = await visit.ask(readCurriculum, { id: course.id })
    const [direction, item = ''] = (form.get('move') ?? '').split(' ')
    const sections = moved(outlineOf(curriculum), item, direction === 'up' ? 'up' : 'down')
    const seen = Number(form.get('version'))
    if (sections === undefined || seen !== curriculum.version) {
      return await show(request, reply, visit, { course, problem: CHANGED })
    }
    const input = { id: course.id, if_version: seen, sections }
    const outcome = await visit.perform(reorderCurriculum, input)
    if (outcome.kind !== 'done')
      return await show(request, reply, visit, { course, problem: CHANGED })
    const page = `${curriculumPath(textOf(course, 'id'))}#at-${item}`
    return sendOn(reply, request, 'site', afterWrite(page, 'moved'))
  })
}

const CHANGED = 'The curriculum was changed meanwhile. This is how it is now: try the move again.'

function outlineOf(curriculum: Row): readonly OutlineSection[] {
  return rowsOf(curriculum, 'sections').map((section) => ({
    id: textOf(section, 'id'),
    lecture_ids: rowsOf(section, 'lectures').map((lecture) => textOf(lecture, 'id')),
  }))
}
