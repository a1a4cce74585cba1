import type { FastifyInstance } from 'fastify'
import { readCourse } from '../../../../domain/learning/course-operations.ts'
import {
  readCurriculum,
  reorderCurriculum,
} from '../../../../domain/learning/section-operations.ts'
import {
  Alert,
  Arrow,
  Button,
  Form,
  FormToken,
  Name,
} from '../../../../foundation/html/components.tsx'
import { Labelled } from '../../../../foundation/html/form-fields.tsx'
import { Badge, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { idIn } from '../crud/named.ts'
import { inWords } from '../crud/object-table.tsx'
import { afterWrite } from '../crud/resource.ts'
import type { OutputOf } from '../crud/row.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit, type Place } from '../frame/operator.ts'
import { curriculumPath, durationOf, openingOf } from './curriculum.tsx'

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
    visit: OperatorVisit,
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
    return visit.page(page, problem === undefined ? 200 : 409)
  }

  app.get(ROUTE, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const course = await visit.ask(readCourse, { id: idIn(request) })
    return await show(visit, { course })
  })

  app.post(ROUTE, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const course = await visit.ask(readCourse, { id: idIn(request) })
    const curriculum = await visit.ask(readCurriculum, { id: course.id })
    const [direction, item = ''] = (form.get('move') ?? '').split(' ')
    const sections = moved(outlineOf(curriculum), item, direction === 'up' ? 'up' : 'down')
    const seen = Number(form.get('version'))
    if (sections === undefined || seen !== curriculum.version) {
      return await show(visit, { course, problem: CHANGED })
    }
    const outcome = await visit.perform(reorderCurriculum, {
      id: course.id,
      if_version: seen,
      sections: sections.map(({ id, lecture_ids }) => ({ id, lecture_ids: [...lecture_ids] })),
    })
    if (outcome.kind !== 'done') return await show(visit, { course, problem: CHANGED })
    const page = `${curriculumPath(course.id)}#at-${item}`
    return visit.goTo(afterWrite(page, 'moved'))
  })
}

const CHANGED = 'The curriculum was changed in the meantime. This is the current order: try again.'

function outlineOf({ sections }: OutputOf<typeof readCurriculum>): readonly OutlineSection[] {
  return sections.map(({ id, lectures }) => ({ id, lecture_ids: lectures.map((one) => one.id) }))
}

/** The order of a course: its sections, and the lectures in each. */
export interface OutlineSection {
  readonly id: string
  readonly lecture_ids: readonly string[]
}

export type Direction = 'up' | 'down'

/**
 * The order after a section or lecture moves by one step, or undefined if it cannot move. A lecture
 * at the edge of its section moves into the next one.
 */
export function moved(
  sections: readonly OutlineSection[],
  id: string,
  direction: Direction,
): readonly OutlineSection[] | undefined {
  const step = direction === 'up' ? -1 : 1
  const place = sections.findIndex((section) => section.id === id)
  if (place !== -1) return swapped(sections, place, place + step)
  const home = sections.findIndex(({ lecture_ids }) => lecture_ids.includes(id))
  const section = sections[home]
  if (section === undefined) return undefined
  const at = section.lecture_ids.indexOf(id)
  const within = swapped(section.lecture_ids, at, at + step)
  if (within !== undefined) return replaced(sections, home, within)
  const next = sections[home + step]
  if (next === undefined) return undefined
  const left = section.lecture_ids.filter((lecture) => lecture !== id)
  const joined = direction === 'up' ? [...next.lecture_ids, id] : [id, ...next.lecture_ids]
  return replaced(replaced(sections, home, left), home + step, joined)
}

function swapped<T>(list: readonly T[], one: number, other: number): readonly T[] | undefined {
  const [a, b] = [list[one], list[other]]
  if (a === undefined || b === undefined) return undefined
  return list.map((item, place) => (place === one ? b : place === other ? a : item))
}

function replaced(
  sections: readonly OutlineSection[],
  place: number,
  lecture_ids: readonly string[],
): readonly OutlineSection[] {
  return sections.map((section, at) => (at === place ? { ...section, lecture_ids } : section))
}

type Curriculum = OutputOf<typeof readCurriculum>
type CurriculumSection = Curriculum['sections'][number]
type CurriculumLecture = CurriculumSection['lectures'][number]

export interface CurriculumPageProps extends AdminFrame {
  readonly course: OutputOf<typeof readCourse>
  readonly curriculum: Curriculum
  readonly problem: string | undefined
  readonly path: string
  readonly place: Place
}

export function curriculumPage(props: CurriculumPageProps): string {
  const { course, curriculum, problem } = props
  const courseUrl = `/admin/courses/${course.id}`
  const { sections } = curriculum
  return adminPage({
    ...props,
    here: courseUrl,
    title: 'Curriculum',
    children: (
      <>
        <PageHead
          title="Curriculum"
          up={{ url: courseUrl, label: plainText(course.title) || 'The course' }}
        />
        {problem !== undefined && <Alert tone="error" title={problem} />}
        {sections.length === 0 && (
          <section class="panel" aria-label="Sections">
            <Empty>
              <p>There is nothing to learn yet. Begin with a section, then add its lectures.</p>
            </Empty>
          </section>
        )}
        {sections.length > 0 && (
          // One form around all sections: each button names the item that it moves.
          <Form
            class="outline"
            action={props.path}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ version: String(curriculum.version) }}
          >
            {sections.map((section, place) => (
              <Section
                section={section}
                isFirst={place === 0}
                isLast={place === sections.length - 1}
                place={props.place}
              />
            ))}
          </Form>
        )}
        <div hidden>
          {sections.map(({ id }) => (
            // Outside the form of the moves; the fields in the sections name it.
            <form id={adderOf(id)} method="post" action={`/admin/sections/${id}/lectures/new`}>
              <FormToken value={props.viewer?.formToken ?? ''} />
            </form>
          ))}
        </div>
        <section class="panel" aria-label="Add a section">
          <Form
            class="adder"
            action={`${courseUrl}/sections/new`}
            formToken={props.viewer?.formToken ?? ''}
          >
            <Adder id="new-section" label="Title of a new section" button="Add section" />
          </Form>
        </section>
      </>
    ),
  })
}

const adderOf = (sectionId: string): string => `add-to-${sectionId}`

/** A title is enough; the rest is filled in later. */
function Adder(props: { id: string; label: string; to?: string; button: string; form?: string }) {
  const { id, label, to, button, form } = props
  return (
    <>
      <Labelled
        id={id}
        label={
          <>
            {label}
            {to !== undefined && <span class="visually-hidden"> in {to}</span>}
          </>
        }
      >
        <input id={id} type="text" name="title" form={form} required dir="auto" maxLength={300} />
      </Labelled>
      <button type="submit" form={form} class="button button-plain">
        {button}
      </button>
    </>
  )
}

interface Edges {
  readonly isFirst: boolean
  readonly isLast: boolean
}

function Section(props: Edges & { section: CurriculumSection; place: Place }) {
  const { section, isFirst, isLast, place } = props
  const { id, lectures } = section
  return (
    <section class="panel outline-section" id={`at-${id}`} aria-labelledby={`title-${id}`}>
      <div class="outline-line">
        <h2 id={`title-${id}`}>
          <Name text={section.title} fallback="Untitled section" />
        </h2>
        <Tools item={section} path="sections" isFirst={isFirst} isLast={isLast} edit="Rename" />
      </div>
      {lectures.length === 0 ? (
        <Empty>
          <p>There is no lecture in it yet.</p>
        </Empty>
      ) : (
        <ol class="outline-lectures">
          {lectures.map((lecture, at) => (
            <Lecture
              lecture={lecture}
              isFirst={isFirst && at === 0}
              isLast={isLast && at === lectures.length - 1}
              place={place}
            />
          ))}
        </ol>
      )}
      <div class="adder">
        <Adder
          id={`new-in-${id}`}
          label="Title of a new lecture"
          to={plainText(section.title)}
          button="Add lecture"
          form={adderOf(id)}
        />
        <a href={`/admin/sections/${id}/lectures/new`}>
          With all details
          <span class="visually-hidden"> in {plainText(section.title)}</span>
        </a>
      </div>
    </section>
  )
}

function Lecture(props: Edges & { lecture: CurriculumLecture; place: Place }) {
  const { lecture, place } = props
  const { id } = lecture
  const facts = [inWords(lecture.kind), durationOf(lecture)].filter(Boolean)
  const isDripped = lecture.unlock_after_days !== null || lecture.unlock_at !== null
  return (
    <li class="outline-line" id={`at-${id}`}>
      <div>
        <p class="row-title">
          <a href={`/admin/lectures/${id}`}>
            <Name text={lecture.title} fallback="Untitled lecture" />
          </a>
          {lecture.is_preview && <Badge tone="good">Free preview</Badge>}
        </p>
        <p class="row-note">
          {facts.join(' · ')}
          {isDripped && (
            <>
              {' · Opens: '}
              {openingOf(lecture, place)}
            </>
          )}
        </p>
      </div>
      <Tools item={lecture} path="lectures" edit="Edit" {...props} />
    </li>
  )
}

/** A button without effect becomes an empty space, so that the other buttons keep their places. */
function Tools(
  props: Edges & {
    item: { readonly id: string; readonly title: string }
    path: string
    edit: string
  },
) {
  const { item, path, isFirst, isLast, edit } = props
  const { id } = item
  const name = plainText(item.title)
  const url = `/admin/${path}/${id}`
  return (
    <div class="outline-tools">
      {isFirst ? <span class="step" /> : <Step direction="up" id={id} name={name} />}
      {isLast ? <span class="step" /> : <Step direction="down" id={id} name={name} />}
      <a href={`${url}/edit`}>
        {edit}
        <span class="visually-hidden"> {name}</span>
      </a>
      <a href={`${url}/delete`}>
        Delete
        <span class="visually-hidden"> {name}</span>
      </a>
    </div>
  )
}

function Step({ direction, id, name }: { direction: 'up' | 'down'; id: string; name: string }) {
  return (
    <Button look="plain" name="move" value={`${direction} ${id}`}>
      <Arrow to={direction} />
      <span class="visually-hidden">
        Move {name} {direction}
      </span>
    </Button>
  )
}
