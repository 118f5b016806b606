-- What a document is made of, kept until that is done.
CREATE TABLE document_sources (
  document_id integer PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
  -- Of txt, pdf and docx.
  file bytea,
  -- Of a website: the addresses to begin with, and how many pages are followed from each.
  links text[],
  relative_links_limit integer,
  CHECK ((file IS NULL) <> (links IS NULL))
);

-- Why a document is `failed`, for its owner.
ALTER TABLE documents ADD COLUMN failure text;
