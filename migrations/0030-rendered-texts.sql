-- The HTML of the texts that visitors read, made when a text is written, so that a request of a stranger never
-- renders. The text and its HTML are two rows, because making the HTML again is no new version of the text.

create table rendered_texts (
  school_id uuid not null references schools,
  object_id uuid not null,
  renderer integer not null,
  html text not null,
  primary key (school_id, object_id)
);
comment on table rendered_texts is 'content: the HTML of a Markdown text that visitors read, by the version of the renderer that made it';

create function forget_html() returns trigger language plpgsql as $$
begin
  delete from rendered_texts where school_id = old.school_id and object_id = old.id;
  return null;
end $$;
comment on function forget_html is 'Forgets the HTML of a text that changed or is gone; the writer of a text adds its HTML after that.';

create trigger posts_changed_text after update of body on posts for each row
  when (old.body is distinct from new.body) execute function forget_html();
create trigger posts_removed_text after delete on posts for each row execute function forget_html();
create trigger pages_changed_text after update of body on pages for each row
  when (old.body is distinct from new.body) execute function forget_html();
create trigger pages_removed_text after delete on pages for each row execute function forget_html();
create trigger courses_changed_text after update of description on courses for each row
  when (old.description is distinct from new.description) execute function forget_html();
create trigger courses_removed_text after delete on courses for each row execute function forget_html();
create trigger events_changed_text after update of description on events for each row
  when (old.description is distinct from new.description) execute function forget_html();
create trigger events_removed_text after delete on events for each row execute function forget_html();
