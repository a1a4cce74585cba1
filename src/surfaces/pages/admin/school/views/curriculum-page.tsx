import type { readCourse } from '../../../../../domain/learning/course-operations.ts'
import type { readCurriculum } from '../../../../../domain/learning/section-operations.ts'
import {
  Alert,
  Arrow,
  Button,
  Form,
  FormToken,
  Name,
} from '../../../../../foundation/html/components.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { Badge, Empty, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { durationOf, openingOf } from '../resources/lecture-words.tsx'
import type { OutputOf, Place } from '../row.ts'
import { inWords } from './words.ts'

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
      <div class="field">
        <label for={id}>
          {label}
          {to !== undefined && <span class="visually-hidden"> in {to}</span>}
        </label>
        <input id={id} type="text" name="title" form={form} required dir="auto" maxLength={300} />
      </div>
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
