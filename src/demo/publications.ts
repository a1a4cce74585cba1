import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

/** Posts, pages and forms with the answers sent to them. */
export function addPublications(stage: Stage): void {
  addArticles(stage)
  addForms(stage)
}

function addArticles(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const { slug, title, body, daysAgo, draft = false } of school.posts) {
    rows.add('posts', {
      school_id: schoolId,
      id: idAt(stage, 'post', slug),
      slug,
      title,
      body,
      state: draft ? 'draft' : 'published',
      author_id: personId('owner'),
      published_at: draft ? null : clock.at(-daysAgo, '04:00'),
      created_at: clock.at(-daysAgo, '02:00'),
    })
  }
  for (const [position, { slug, title, body, daysAgo, draft = false }] of school.pages.entries()) {
    rows.add('pages', {
      school_id: schoolId,
      id: idAt(stage, 'page', slug),
      slug,
      title,
      body,
      state: draft ? 'draft' : 'published',
      position,
      published_at: draft ? null : clock.at(-daysAgo, '04:00'),
      created_at: clock.at(-daysAgo, '02:00'),
    })
  }
}

function addForms(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, { slug, title, state, fields, answers }] of school.forms.entries()) {
    const form_id = idAt(stage, 'form', slug)
    rows.add('forms', {
      school_id: schoolId,
      id: form_id,
      slug,
      title,
      fields: JSON.stringify(fields),
      state,
      created_at: clock.at(-260 + i),
    })
    for (const [a, { by, daysAgo, values }] of answers.entries()) {
      rows.add('form_submissions', {
        school_id: schoolId,
        id: idAt(stage, 'submission', `${slug}/${a}`),
        form_id,
        user_id: by === undefined ? null : personId(by),
        answers: JSON.stringify(values),
        submitted_at: clock.at(-daysAgo, '08:20'),
      })
    }
  }
}
