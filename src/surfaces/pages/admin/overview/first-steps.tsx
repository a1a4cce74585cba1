import type { FirstSteps, SchoolTotals } from '../../../../domain/analytics/school-totals.ts'
import type { Means } from '../../../../domain/people/factors/demand.ts'
import { SETTINGS_PATH } from '../../../../domain/people/link-paths.ts'
import type { School } from '../../../../domain/schools/school.ts'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import { defaultColors } from '../../../../foundation/html/theme.ts'
import { adminPaths } from '../../frame/paths.ts'

/** One thing to do before a school is ready. */
export interface Step {
  readonly label: string
  readonly why: string
  readonly isDone: boolean
  /** Where to do it; absent if another person has to. */
  readonly href?: string
}

type SetUp = Pick<School, 'description' | 'appearance' | 'mcpConnections'>

interface Known {
  readonly totals: Pick<SchoolTotals, 'students' | 'publishedCourses'>
  readonly found: FirstSteps
  /** Of the person who looks. */
  readonly means: Means
  /** Only an owner may give the role to another person. */
  readonly isOwner: boolean
  readonly sendsMail: boolean
}

/** All of it follows from what the school has, so no step is ticked by hand. */
export function stepsOf(
  school: SetUp,
  { totals, found, means, isOwner, sendsMail }: Known,
): Step[] {
  const { appearance } = school
  return [
    {
      label: 'Describe your school',
      why: 'Visitors and search engines read it.',
      isDone: school.description !== '',
      href: '/admin/details',
    },
    {
      label: 'Add your logo or your color',
      why: 'Pages and mails then look like yours.',
      isDone:
        appearance.logoFileId !== undefined ||
        appearance.primaryColor !== defaultColors.primaryColor,
      href: '/admin/appearance',
    },
    {
      label: 'Publish your first course',
      why: 'Drafts are seen by you alone.',
      isDone: totals.publishedCourses > 0,
      href: '/admin/courses',
    },
    {
      label: 'Add your first student',
      why: 'Or import many from a file, under Background work.',
      isDone: totals.students > 0,
      href: '/admin/students/new',
    },
    {
      label: 'Send email',
      why: 'Invitations and new passwords need it. The administrator of this server sets SMTP_URL.',
      isDone: sendsMail,
    },
    {
      label: 'Add a second owner',
      why: isOwner
        ? 'They can help if you lose your account.'
        : 'Only an owner can do this. A second one can help if the first loses their account.',
      isDone: found.hasSecondOwner,
      ...(isOwner ? { href: '/admin/members/new' } : {}),
    },
    {
      label: 'Protect your own account',
      why: 'With a passkey or a second factor, a stolen password is not enough.',
      isDone: means.hasPasskey || means.hasSecondFactor,
      href: SETTINGS_PATH,
    },
    ...(school.mcpConnections
      ? [
          {
            label: 'Connect the first app or assistant',
            why: 'Members can then ask their assistant about their courses.',
            isDone: found.hasApp,
            href: adminPaths.assistants,
          },
        ]
      : []),
  ]
}

/** What is left to set up; what is done stays in the list, so that progress is seen. */
export function FirstStepsPanel({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Panel title="Set up your school" lead={`${done} of ${steps.length} done.`}>
      <ul class="first-steps">
        {steps.map(({ label, why, isDone, href }) => (
          <li class={isDone ? 'first-step-done' : undefined}>
            <span class="first-step-mark" aria-hidden="true" />
            <div>
              <p class="row-title">
                {isDone || href === undefined ? label : <a href={href}>{label}</a>}
                {isDone && <span class="visually-hidden"> (done)</span>}
              </p>
              {!isDone && <p class="row-note">{why}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
