import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readCourse } from '../../../../../domain/learning/course-operations.ts'
import {
  readCurriculum,
  reorderCurriculum,
} from '../../../../../domain/learning/section-operations.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { redirectTo, sendPage } from '../../../page-request.ts'
import { afterWrite } from '../resource.ts'
import { curriculumPath } from '../resources/curriculum.tsx'
import { enter, idIn, type Visit } from '../routes/visit.ts'
import type { OutputOf } from '../row.ts'
import { curriculumPage } from '../views/curriculum-page.tsx'
import { moved, type OutlineSection } from './move.ts'

type Course = OutputOf<typeof readCourse>

const ROUTE = '/admin/courses/:id/curriculum'

const NOTICES = {
  created: 'Added at the end.',
  saved: 'Saved.',
  delete: 'Deleted.',
  moved: 'Moved.',
}

/** Sections and lectures in the order that students see, with buttons to move them. */
export function addCurriculumRoutes(app: FastifyInstance, context: AppContext): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    { course, problem }: { course: Course; problem?: string },
  ) => {
    const curriculum = await visit.ask(readCurriculum, { id: course.id })
    const page = curriculumPage({
      ...visit.frame(NOTICES),
      course,
      curriculum,
      problem,
      path: curriculumPath(course.id),
      place: visit.place,
    })
    return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 409)
  }

  app.get(ROUTE, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const course = await visit.ask(readCourse, { id: idIn(request) })
    return await show(request, reply, visit, { course })
  })

  app.post(ROUTE, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const course = await visit.ask(readCourse, { id: idIn(request) })
    const curriculum = await visit.ask(readCurriculum, { id: course.id })
    const [direction, item = ''] = (form.get('move') ?? '').split(' ')
    const sections = moved(outlineOf(curriculum), item, direction === 'up' ? 'up' : 'down')
    const seen = Number(form.get('version'))
    if (sections === undefined || seen !== curriculum.version) {
      return await show(request, reply, visit, { course, problem: CHANGED })
    }
    const outcome = await visit.perform(reorderCurriculum, {
      id: course.id,
      if_version: seen,
      sections: sections.map(({ id, lecture_ids }) => ({ id, lecture_ids: [...lecture_ids] })),
    })
    if (outcome.kind !== 'done')
      return await show(request, reply, visit, { course, problem: CHANGED })
    const page = `${curriculumPath(course.id)}#at-${item}`
    return redirectTo(reply, request, 'site', afterWrite(page, 'moved'))
  })
}

const CHANGED = 'The curriculum was changed in the meantime. This is the current order: try again.'

function outlineOf({ sections }: OutputOf<typeof readCurriculum>): readonly OutlineSection[] {
  return sections.map(({ id, lectures }) => ({ id, lecture_ids: lectures.map((one) => one.id) }))
}
