import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import {
  changeName,
  findPicture,
  MOST_PICTURE_BYTES,
  PICTURE_PATH,
  readName,
  removePicture,
  setPicture,
} from '../../../domain/people/profile.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Alert, Avatar, Button, Form, FormToken } from '../../../foundation/html/components.tsx'
import { Field, FileField } from '../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { cleanPicture } from '../../../foundation/pictures/clean-picture.ts'
import { UUID } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import type { Person } from '../frame/parts.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { readPictureForm } from '../frame/picture-form.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'

const PATH = '/account/profile'

const NOTICES = {
  name: 'Your name was changed, at all your schools.',
  picture: 'Your picture was changed, at all your schools.',
  'no-picture': 'Your picture was removed.',
}

export function addProfileRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    return show(visit)
  })

  app.post(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    const typed = form.get('name') ?? ''
    const read = readName(typed)
    if ('problem' in read) {
      const problem = { kind: 'name', typed, detail: read.problem } as const
      return show(visit, problem, 400)
    }
    await request.schoolDb.transaction((tx) =>
      changeName(tx, session.person.id, read.name, request.id),
    )
    return visit.goTo(`${PATH}?done=name`)
  })

  if (files === undefined) return
  addPictureRoute(app, files)
  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(`${PATH}/picture`, async (request, reply) => {
      const visit = await signedInVisit(context, request, reply, PATH)
      const { session } = visit
      const sent = await readPictureForm(visit, MOST_PICTURE_BYTES)
      if (sent === 'remove') {
        await removePicture(request.schoolDb, session.person.id, request.id)
        return visit.goTo(`${PATH}?done=no-picture`)
      }
      const problem =
        typeof sent === 'string' ? sent : await keep(files, request, session.person.id, sent)
      if (problem === undefined) return visit.goTo(`${PATH}?done=picture`)
      const status = problem === 'too_many' ? 429 : 422
      return show(visit, { kind: 'picture', problem }, status)
    })
  })
}

async function keep(files: FileStore, request: FastifyRequest, userId: string, bytes: Buffer) {
  const picture = cleanPicture(bytes)
  if (typeof picture === 'string') return picture
  const isSet = await setPicture(request.schoolDb, files, userId, picture, request.id)
  return isSet ? undefined : 'too_many'
}

function show(visit: SignedInVisit, problem?: ProfileProblem, status = 200): FastifyReply {
  const { session, context } = visit
  const { person } = session
  const page = profilePage({
    ...visit.frame(NOTICES),
    person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
    storesPictures: context.files !== undefined,
    problem,
  })
  return visit.page(page, status)
}

const PICTURE_PROBLEMS = {
  none: 'Choose a picture first.',
  too_large: 'The picture is larger than 256 kB. Make it smaller and choose it again.',
  format: 'This is not a PNG, JPEG or WebP picture. Choose another.',
  broken: 'The picture is damaged. Choose another.',
  moving: 'The picture moves. Choose one that does not.',
  size: 'Choose a picture with sides of 16 to 4096 pixels.',
  too_many: 'You have changed your picture many times. Try again in an hour.',
} as const

type ProfileProblem =
  | { kind: 'name'; typed: string; detail: string }
  | { kind: 'picture'; problem: keyof typeof PICTURE_PROBLEMS }

interface ProfileProps extends SiteFrame {
  person: Person
  /** False on a server without a place for files. */
  storesPictures: boolean
  problem?: ProfileProblem | undefined
}

export function profilePage(props: ProfileProps): string {
  const { person, problem, viewer } = props
  const formToken = viewer?.formToken ?? ''
  const title = 'Name and picture'
  return sitePage({
    ...props,
    title: problem === undefined ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead
          title={title}
          lead="They are the same at all your schools on this server, and apps that you allow see them."
          up={TO_SETTINGS}
        />
        <Panel title="Name">
          <Form action="/account/profile" formToken={formToken}>
            <Field
              name="name"
              label="Your name"
              type="text"
              autocomplete="name"
              value={problem?.kind === 'name' ? problem.typed : person.name}
              error={problem?.kind === 'name' ? problem.detail : undefined}
              autofocus={problem?.kind === 'name'}
            />
            <Button look="primary">Save name</Button>
          </Form>
        </Panel>
        <Panel
          title="Picture"
          lead={
            props.storesPictures
              ? 'Everyone who knows its address can load it. Place, device and other facts in the file are removed before it is stored.'
              : 'You cannot upload a picture on this server.'
          }
        >
          {problem?.kind === 'picture' && (
            <Alert tone="error" title={PICTURE_PROBLEMS[problem.problem]} />
          )}
          <Avatar name={person.name || person.email} url={person.avatarUrl} />
          {props.storesPictures && (
            <PictureForms formToken={formToken} hasPicture={person.avatarUrl !== undefined} />
          )}
        </Panel>
      </>
    ),
  })
}

function PictureForms({ formToken, hasPicture }: { formToken: string; hasPicture: boolean }) {
  return (
    <>
      <form method="post" action="/account/profile/picture" encType="multipart/form-data">
        <FormToken value={formToken} />
        <FileField
          name="picture"
          label={hasPicture ? 'Choose another picture' : 'Choose a picture'}
          hint="PNG, JPEG or WebP, at most 256 kB. It is shown in a circle."
          accept="image/png,image/jpeg,image/webp"
        />
        <div class="actions">
          <Button look="primary">Upload</Button>
          <ButtonLink look="plain" href={SETTINGS_PATH}>
            Cancel
          </ButtonLink>
        </div>
      </form>
      {hasPicture && (
        <form method="post" action="/account/profile/picture" encType="multipart/form-data">
          <FormToken value={formToken} />
          <Button look="danger" name="remove" value="yes">
            Remove picture
          </Button>
        </form>
      )}
    </>
  )
}

/**
 * Like uploads of schools, a picture is a download in a sandbox. Apps show it on their own pages:
 * it is the claim `picture`. An hour, because a person who removes their picture wants it gone.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=3600, immutable',
} as const

/** Pictures of people. Everyone who knows the address may load them. */
function addPictureRoute(app: FastifyInstance, store: FileStore): void {
  app.get(`${PICTURE_PATH}:id`, async (request, reply) => {
    const { id } = request.params as { id: string }
    const picture = UUID.test(id)
      ? await findPicture(acrossSchools(request.schoolDb), id)
      : undefined
    const bytes = picture === undefined ? undefined : await store.read(picture.storageKey)
    if (picture === undefined || bytes === undefined) return reply.callNotFound()
    return reply
      .headers(HEADERS)
      .header('content-type', picture.contentType)
      .header('content-length', picture.sizeBytes)
      .send(bytes)
  })
}
