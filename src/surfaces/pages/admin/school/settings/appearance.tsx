import type { FastifyInstance } from 'fastify'
import { findFile } from '../../../../../domain/content/file-operations.ts'
import {
  changeAppearance,
  readAppearance,
} from '../../../../../domain/schools/appearance-operations.ts'
import { themeStylesheet } from '../../../../../foundation/html/theme.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { queryOf } from '../../../site-frame.ts'
import { loadOperator } from '../../operator.ts'
import type { Upload } from '../resource.ts'
import { addSettingsPage } from '../routes/settings-routes.ts'
import { addUploadRoutes } from '../routes/upload-routes.ts'
import { AppearancePanels, PREVIEW_CLASS, PREVIEW_SCRIPT } from '../views/appearance-panels.tsx'

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
      const file = fileId === null ? undefined : await findFile(request.at, fileId)
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

  // The content security policy refuses inline styles, so the colours of the preview come as a file.
  app.get(STYLESHEET, async (request, reply) => {
    await loadOperator(request)
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
    find: async (request, visit) => {
      const { logo_file_id } = await visit.ask(readAppearance, {})
      return {
        path: `${PATH}/${logo.path}`,
        back: { url: PATH, label: 'Appearance' },
        fileId: logo_file_id,
        attach: async (file) => {
          const outcome = await visit.perform(changeAppearance, { logo_file_id: file })
          context.directory.forget(request.school.id)
          return outcome
        },
      }
    },
  })
}
