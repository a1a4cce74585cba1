import type { FastifyInstance } from 'fastify'
import { findFile } from '../../../../domain/content/file-operations.ts'
import {
  changeAppearance,
  readAppearance,
} from '../../../../domain/schools/appearance-operations.ts'
import { changeSchool, readSchool } from '../../../../domain/schools/school-operations.ts'
import { Name, Tile } from '../../../../foundation/html/components.tsx'
import { ButtonLink, Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { legibilityOf, themeStylesheet } from '../../../../foundation/html/theme.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { TIME_ZONES } from '../crud/read-form.ts'
import type { Upload } from '../crud/resource.ts'
import { addSettingsPage, type SettingsPage } from '../crud/settings-page.ts'
import { addUploadRoutes, type CurrentFile, FileLine } from '../crud/upload.tsx'
import { operatorVisit } from '../frame/operator.ts'

/** Shows colours in the preview while they are chosen. */
export const PREVIEW_SCRIPT = 'appearance.js'

const PREVIEW_CLASS = 'appearance-preview'

interface AppearancePanelsProps {
  readonly name: string
  readonly tagline: string
  readonly primary: string
  /** The address of the stylesheet with the colours of the preview. */
  readonly stylesheet: string
  readonly logo: CurrentFile | undefined
  /** Absent if the server has no file store. */
  readonly logoPath: string | undefined
}

export function AppearancePanels(props: AppearancePanelsProps) {
  return (
    <>
      <Preview {...props} />
      {props.logoPath !== undefined && (
        <Panel title="Logo">
          {props.logo === undefined ? (
            <Empty>
              <p>There is no logo yet. Pages show the first letter of your name instead.</p>
            </Empty>
          ) : (
            <>
              <img class="logo" src={props.logo.url} alt="Your logo" height={48} />
              <FileLine file={props.logo} />
            </>
          )}
          <p class="actions">
            <ButtonLink look="plain" href={props.logoPath}>
              {props.logo === undefined ? 'Upload a logo' : 'Replace or remove'}
            </ButtonLink>
          </p>
        </Panel>
      )}
    </>
  )
}

function Preview({ name, tagline, primary, stylesheet, logo }: AppearancePanelsProps) {
  return (
    <Panel id="preview" title="Preview" lead="With the colors in the form.">
      <link rel="stylesheet" href={stylesheet} data-preview="" />
      <div class={PREVIEW_CLASS}>
        <p class="preview-head">
          {logo === undefined ? (
            <Tile name={name} tone="brand" />
          ) : (
            <img class="logo" src={logo.url} alt="" height={36} />
          )}
          <Name text={name} fallback="School" />
        </p>
        {tagline !== '' && <p class="lead">{plainText(tagline)}</p>}
        <p class="actions">
          <span class="button button-primary">A button</span>
          <span class="preview-link">A link</span>
          <span class="avatar">A</span>
        </p>
      </div>
      <ul class="checks">
        {legibilityOf(primary).map((words) => (
          <li>{words}</li>
        ))}
      </ul>
    </Panel>
  )
}

const PATH = '/admin/appearance'
const STYLESHEET = `${PATH}/preview.css`

const logo: Upload<'logo_file_id'> = {
  path: 'logo',
  title: 'Logo',
  hint: 'A picture: PNG, JPEG or WebP, best on a transparent ground.',
  field: 'logo_file_id',
  accept: 'image/png,image/jpeg,image/webp',
}

export function addAppearanceRoutes(app: FastifyInstance, context: AppContext): void {
  addSettingsPage(app, context, {
    path: PATH,
    title: 'Appearance',
    lead: 'How your pages look to everybody, sign-in and consent included.',
    read: readAppearance,
    change: changeAppearance,
    preview: true,
    script: PREVIEW_SCRIPT,
    fields: [
      {
        name: 'primary_color',
        label: 'Main color',
        kind: 'color',
        hint: 'Buttons, links and the line at the top.',
      },
      { name: 'accent_color', label: 'Second color', kind: 'color', hint: 'Behind initials.' },
      { name: 'tagline', label: 'Tagline', hint: 'One line under your name on the home page.' },
    ],
    async panels(request, saved, draft) {
      const fileId = saved.logo_file_id
      const file = fileId === null ? undefined : await findFile(request.schoolDb, fileId)
      const [primary = '', accent = '', tagline = ''] = [
        draft.primary_color,
        draft.accent_color,
        draft.tagline,
      ].map((typed) => typed?.[0])
      return (
        <AppearancePanels
          name={request.school.name}
          tagline={tagline}
          primary={primary}
          stylesheet={`${STYLESHEET}?${new URLSearchParams({ primary, accent })}`}
          logo={file && { ...file, url: `/files/${fileId}` }}
          logoPath={context.files === undefined ? undefined : `${PATH}/${logo.path}`}
        />
      )
    },
  })

  // The content security policy refuses inline styles, so the colours of the preview come as a
  // file.
  app.get(STYLESHEET, async (request, reply) => {
    await operatorVisit(context, request, reply)
    const asked = queryOf(request)
    const sheet = themeStylesheet({
      primaryColor: asked.get('primary') ?? '',
      accentColor: asked.get('accent') ?? '',
    })
    return reply
      .header('cache-control', 'no-store')
      .type('text/css; charset=utf-8')
      .send(sheet.replaceAll(':root', `.${PREVIEW_CLASS}`))
  })

  addUploadRoutes(app, context, {
    route: `${PATH}/${logo.path}`,
    upload: logo,
    find: async (visit) => {
      const { logo_file_id } = await visit.ask(readAppearance, {})
      return {
        path: `${PATH}/${logo.path}`,
        back: { url: PATH, label: 'Appearance' },
        fileId: logo_file_id,
        attach: (file) => visit.perform(changeAppearance, { logo_file_id: file }),
      }
    },
  })
}

export const details: SettingsPage<typeof readSchool, typeof changeSchool> = {
  path: '/admin/details',
  title: 'School details',
  lead: 'What your school is called, and how it counts time and money.',
  read: readSchool,
  change: changeSchool,
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'description',
      label: 'Description',
      rows: 4,
      hint: 'Shown on the home page of your school.',
    },
    {
      name: 'contact_email',
      label: 'Contact email',
      hint: 'Public: developers find it in the description of your API.',
    },
    {
      name: 'time_zone',
      label: 'Time zone',
      suggestions: TIME_ZONES,
      hint: 'Type a part of its name, such as Taipei. All times in the admin area are shown in it.',
    },
    {
      name: 'currency',
      label: 'Currency',
      kind: 'currency',
      hint: 'New prices are in it; existing ones stay.',
    },
  ],
}
